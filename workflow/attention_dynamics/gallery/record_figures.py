"""Record figures on real data: ``python -m attention_dynamics.gallery.record_figures <figures> <settings>``.

figures: "<paper>/<figure> ...", or an empty text for all figures that read published data sets. settings: as for
Snakemake's option --config; scale and data must be among them.

`make record` runs this module. It lets Snakemake compute what is missing, and writes pictures, captions, numbers,
claims.csv and provenance.json to records/<scale>-<source>/. Records of other figures in this folder are kept.
"""

import json
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from io import StringIO
from itertools import takewhile
from pathlib import Path
from typing import Any

import pandas as pd

from attention_dynamics.choices import format_wrong_choice
from attention_dynamics.claims.claim import FULL_SCALES
from attention_dynamics.claims.ledger import to_csv
from attention_dynamics.config.errors import ConfigError, exit_in_one_line
from attention_dynamics.config.experiment import experiment_digest
from attention_dynamics.config.load import load_config
from attention_dynamics.config.recorded_figures import CLAIMS, PROVENANCE, RECORDS, read_claims, read_provenance
from attention_dynamics.gallery.preview import shrink
from attention_dynamics.pipeline.checkout import describe_commit, processor, versions
from attention_dynamics.pipeline.jobs import Jobs
from attention_dynamics.pipeline.run_times import LOGS
from attention_dynamics.pipeline.startup import check_mirror
from attention_dynamics.store import load_json, write

# Records are committed to git, so their size is limited.
MAX_PICTURE_BYTES, MAX_NUMBERS_BYTES = 120_000, 100_000
PICTURE_WIDTH_PX = 1100
# Kinds of drawn numbers that may be thinned, and the columns that tell one line from another.
THINNED_KINDS = ("line", "band")
LINE_COLUMNS = ("panel", "series", "kind", "number")
STRIDES = (2, 4, 8, 16, 32, 64)
# The packages whose versions affect the numbers most.
PACKAGES = ("python", "torch", "numpy")


def plan_records(figures: str, settings: Mapping[str, str]) -> tuple[Jobs, list[str]]:
    """Return the jobs of the configuration, and the names of the figures to record.

    figures, settings: see the docstring of the module. Raises ConfigError for wrong settings and figures.
    """
    choices = {"scale": ", ".join(FULL_SCALES), "data": "official, mirror (with DATA_MIRROR=<folder>)"}
    for name, values in choices.items():
        if not settings.get(name):
            raise ConfigError(f"{name.upper()}: records have no default; give one of {values}")
    config = load_config(Path("config"), settings)
    if config.settings.data == "embedded":
        raise ConfigError(f"DATA: embedded: has stand-ins, and records are of real data; give one of {choices['data']}")
    if config.settings.data_mirror is not None:
        check_mirror(config.settings.data_mirror)
    jobs = Jobs(config)
    allowed = [figure for figure in config.figures() if jobs.published_datasets(figure)]
    for name in (names := list(dict.fromkeys(figures.split()))):
        if name not in allowed:
            raise ConfigError(f"FIGURES: figure with a published data set {format_wrong_choice(name, allowed)}")
    return jobs, names or allowed


def record(jobs: Jobs, figure: str, folder: Path, commit: str) -> None:
    """Write the record of a figure, whose files and verdicts must have been computed, in place of an earlier one.

    folder: records/<scale>-<source>. commit: commit of the code. Raises FileNotFoundError for a missing file, and
    DamagedFile for a damaged one.
    """
    part = _provenance(jobs, figure, commit)
    rows = load_json(f"results/{jobs.settings.scale}/claims/{figure}.json")
    source, target = Path("figures"), folder / f"{figure}.csv"
    write(folder / f"{figure}.png", shrink_to_bytes(source / f"{figure}.png", MAX_PICTURE_BYTES))
    write(folder / f"{figure}.caption.md", (source / f"{figure}.caption.md").read_bytes())
    try:
        write(target, thin((source / f"{figure}.csv").read_text(), MAX_NUMBERS_BYTES).encode())
    except ValueError as error:
        target.unlink(missing_ok=True)
        part["left_out"] = f"{target.name}: {error}"
    others = [row for row in read_claims(folder) if f"{row['paper']}/{row['figure']}" != figure]
    rows = sorted([*others, *rows], key=lambda row: (row["paper"], row["figure"]))
    write(folder / CLAIMS, to_csv(rows).encode())
    parts = read_provenance(folder) | {figure: part}
    write(folder / PROVENANCE, json.dumps(parts, indent=1, sort_keys=True).encode() + b"\n")


def shrink_to_bytes(picture: Path, max_bytes: int) -> bytes:
    """Return a picture as a PNG file of at most ``max_bytes``, and of at most PICTURE_WIDTH_PX in width and height."""
    width = PICTURE_WIDTH_PX
    while len(content := shrink(picture, (width, width))) > max_bytes:
        width = width * 4 // 5
    return content


def thin(numbers: str, max_bytes: int) -> str:
    """Return the numbers of a figure, the text of a CSV file, in at most ``max_bytes``.

    If the text is longer, each line and band keeps one in 2 points (if needed one in 4, 8, ...; see STRIDES), and its
    last point. A comment in the text says so. Raises ValueError if the text is still longer.
    """
    if (size := len(numbers.encode())) <= max_bytes:
        return numbers
    comments = "".join(takewhile(lambda line: line.startswith("#"), numbers.splitlines(keepends=True)))
    table = pd.read_csv(StringIO(numbers.removeprefix(comments)), dtype=str, keep_default_na=False)
    if "kind" in table:
        thinned = table["kind"].isin(THINNED_KINDS)
        points = table.groupby([name for name in LINE_COLUMNS if name in table])
        place, is_last = points.cumcount(), points.cumcount(ascending=False) == 0
        for stride in STRIDES:
            rows = table[~thinned | (place % stride == 0) | is_last].to_csv(index=False, lineterminator="\n")
            comment = f"# thinned: one in {stride} points of each line and band, and its last one\n"
            if len((text := comments + comment + rows).encode()) <= max_bytes:
                return text
    raise ValueError(f"has {size:,} bytes, more than {max_bytes:,}, also with fewer points of its lines")


def _provenance(jobs: Jobs, figure: str, commit: str) -> dict[str, Any]:
    """Return a figure's part of provenance.json: when, where and from what the figure was computed."""
    paper, name = figure.split("/")
    results = Path("results") / jobs.settings.scale
    descriptions = [(results / "datasets" / f"{id}.txt").read_text() for id in jobs.published_datasets(figure)]
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "commit": commit,
        "experiment_sha256": experiment_digest(jobs.config.papers[paper], name),
        # Number of samples and SHA-256 of each data set, as the job that checks the data set has written them.
        "data": [text.strip() for text in descriptions],
        "cpu_s": round(_cpu_seconds(jobs, figure), 1),
        "processor": processor(),
        "device": jobs.settings.device,
        "versions": [one for one in versions() if one.partition("==")[0] in PACKAGES],
    }


def _cpu_seconds(jobs: Jobs, figure: str) -> float:
    """Return the sum of the CPU seconds of a figure's jobs, as Snakemake sampled them when each job last ran."""
    paper, name = figure.split("/")
    content = jobs.config.papers[paper]
    runs = {id for run in content.runs_of(content.figures[name].runs) for id in jobs.shards_of(paper, run)}
    ids = {figure, *runs, *(id.rpartition("/")[0] for id in runs)}
    files = [file for id in ids for file in (LOGS / jobs.settings.scale / id).glob("*.jsonl")]
    times = (json.loads(file.read_text().splitlines()[-1]) for file in sorted(files))
    # A job that ended before the first sample has no CPU time; its elapsed time is taken instead.
    return sum(float(one["s"] if one["cpu_time"] in (None, "NA") else one["cpu_time"]) for one in times)


def main(figures: str, settings: Mapping[str, str]) -> None:
    """Compute and record figures. Exits with Snakemake's status, and records nothing, if a job fails."""
    jobs, names = plan_records(figures, settings)
    scale = jobs.settings.scale
    commit = describe_commit(apart_from=RECORDS.name)
    targets = [file for name in names for file in (f"figures/{name}.png", f"results/{scale}/claims/{name}.json")]
    given = [f"{name}={value}" for name, value in settings.items()]
    command = [sys.executable, "-m", "snakemake", *targets, "--config", *given]
    if status := subprocess.run(command, check=False).returncode:  # noqa: S603 (ours)
        raise SystemExit(status)
    folder = RECORDS / f"{scale}-{jobs.settings.data}"
    for name in names:
        record(jobs, name, folder, commit)
        print(f"recorded {name} in {folder.relative_to(RECORDS.parent)}")


if __name__ == "__main__":
    with exit_in_one_line():
        main(sys.argv[1], dict(setting.split("=", 1) for setting in sys.argv[2:]))

"""Run times of jobs, from Snakemake's benchmark files: ``python -m attention_dynamics.pipeline.times``.

That writes the tables of the laptop's scale: benchmarks/times.csv, a line per job, and benchmarks/times.md, a line per
stage.
"""

import csv
import json
from pathlib import Path
from statistics import median

from attention_dynamics.registry import PACKAGE

LOGS = Path("logs")
COMMITTED = PACKAGE.parents[1] / "benchmarks" / "times.csv"
LONGEST = 12


def measured(logs: Path) -> dict[str, float]:
    """Seconds that every job took when it last ran here, by the path of its benchmark file, as the rules name it."""
    seconds = {}
    for file in sorted(logs.rglob("*.jsonl")):
        if lines := file.read_text().splitlines():
            seconds[(LOGS / file.relative_to(logs)).as_posix()] = float(json.loads(lines[-1])["s"])
    return seconds


def committed() -> dict[str, float]:
    """The same of the run that is committed; empty where the table is not there."""
    if not COMMITTED.is_file():
        return {}
    with COMMITTED.open(newline="") as file:
        return {row["benchmark"]: float(row["seconds"]) for row in csv.DictReader(file)}


def stage(benchmark: str) -> tuple[str, str]:
    """Scale and rule of the job that left a benchmark file, of its path."""
    path = Path(benchmark)
    return path.parts[1], path.stem


def summary(seconds: dict[str, float]) -> str:
    """Markdown: a line per stage, and the longest jobs."""
    total = sum(seconds.values())
    stages = {name: [s for job, s in seconds.items() if stage(job)[1] == name] for _, name in map(stage, seconds)}
    lines = ["| stage | jobs | seconds in all | share | median | longest |", "|---|---|---|---|---|---|"]
    lines += [
        f"| {name} | {len(each)} | {sum(each):.0f} | {sum(each) / total:.0%} | {median(each):.2f} | {max(each):.1f} |"
        for name, each in sorted(stages.items(), key=lambda item: -sum(item[1]))
    ]
    lines += [f"| all | {len(seconds)} | {total:.0f} | | | |", "", "| longest jobs | seconds |", "|---|---|"]
    longest = sorted(seconds, key=seconds.__getitem__, reverse=True)[:LONGEST]
    lines += [f"| {Path(job).with_suffix('').relative_to(LOGS)} | {seconds[job]:.1f} |" for job in longest]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    found = {job: seconds for job, seconds in measured(LOGS).items() if stage(job)[0] == "laptop"}
    if not found:
        raise SystemExit(f"{LOGS}: no benchmark files of the laptop's scale; run `make figures` first")
    with COMMITTED.open("w", newline="") as table:
        writer = csv.writer(table, lineterminator="\n")
        writer.writerow(["benchmark", "seconds"])
        writer.writerows((job, f"{seconds:.2f}") for job, seconds in sorted(found.items()))
    head = "# Where the time of `make figures` goes\n\nWritten by `make times` from Snakemake's benchmark files.\n\n"
    COMMITTED.with_suffix(".md").write_text(head + summary(found))

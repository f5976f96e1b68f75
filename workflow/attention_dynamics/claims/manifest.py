"""The manifest, a table of the files of all figures with their SHA-256, and the verification of files by it.

``python -m attention_dynamics.claims.manifest [folder]`` verifies the files of a folder, by default ``figures``.
"""

import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from attention_dynamics.claims.claim_summary import ClaimSummary, Row
from attention_dynamics.csv_table import csv_table
from attention_dynamics.digests import hash_file
from attention_dynamics.store import DamagedFile

COLUMNS = [
    "paper", "figure", "file", "sha256", "scale", "fidelity", "data", "experiment_sha256", "seeds", "claims_held",
    "claims_judged",
]  # fmt: skip
# Written instead of a SHA-256 for files with measured times, which differ from run to run.
MEASURED = "measured"
FORMATS = ("pdf", "png", "svg", "csv", "md")
RECORD_ENDING = ".record.png"


def build_manifest(
    figures: Iterable[Mapping[str, Any]], files: Mapping[str, str], claims: Sequence[Row], pages: Mapping[str, str]
) -> str:
    """Return the manifest, a CSV file with the columns COLUMNS and one line per file.

    figures: for each figure, the values of COLUMNS that all its files share, except those about claims. In addition,
        "measured" is True for a figure of measured times (``Jobs._manifest``).
    files: path figures/<paper>/<figure>.<format> -> the SHA-256 that the file had when it was made. For figures of
        measured times the manifest has MEASURED instead.
    claims: rows of the ledger for all claims. pages: figures/<page>.html -> SHA-256, for pages that belong to no paper.
    Raises DamagedFile if a file or page has another SHA-256 now.
    """
    for file, digest in {**files, **pages}.items():
        if hash_file(file) != digest:
            raise DamagedFile(Path(file), "it was changed after it was made")
    labels = {(label["paper"], label["figure"]): label for label in figures}
    rows = []
    for file, digest in sorted((Path(file), digest) for file, digest in files.items()):
        label = labels[file.parent.name, file.name.partition(".")[0]]
        key = label["paper"], label["figure"]
        summary = ClaimSummary.of([row for row in claims if (row["paper"], row["figure"]) == key])
        counts = {"claims_held": summary.held, "claims_judged": summary.judged}
        shown = MEASURED if label.get("measured") else digest
        rows.append(label | counts | {"file": f"{file.parent.name}/{file.name}", "sha256": shown})
    for page, digest in sorted((Path(page), digest) for page, digest in pages.items()):
        rows.append(dict.fromkeys(COLUMNS, "") | {"figure": page.stem, "file": page.name, "sha256": digest})
    return csv_table(pd.DataFrame(rows, columns=COLUMNS))


def verify_manifest(folder: Path) -> list[str]:
    """Return messages about files of a folder that are missing, altered, or not in its manifest.csv.

    The list is empty if all files match. If the manifest itself is missing or cannot be read, only this is reported.
    Files of figures of measured times must exist, but may differ.
    """
    try:
        manifest = pd.read_csv(folder / "manifest.csv", keep_default_na=False)
        listed = dict(zip(manifest.file, manifest.sha256, strict=True))
    except FileNotFoundError:
        return [f"{folder / 'manifest.csv'}: there is none yet; run `snakemake figures/all` first"]
    except (OSError, ValueError, AttributeError) as error:
        return [f"{folder / 'manifest.csv'}: cannot be read ({error})"]
    problems = []
    for name, digest in listed.items():
        file = folder / name
        if not file.is_file():
            problems.append(f"{file}: is missing")
        elif digest != MEASURED and hash_file(file) != digest:
            problems.append(f"{file}: its SHA-256 differs from the manifest")
    # The manifest does not list images of records (results on real data), which are copied here for the pages only.
    found = (file for form in FORMATS for file in folder.glob(f"*/*.{form}") if not file.name.endswith(RECORD_ENDING))
    present = {f"{file.parent.name}/{file.name}" for file in found}
    return problems + [f"{folder / name}: is not in the manifest" for name in sorted(present - listed.keys())]


if __name__ == "__main__":
    found = verify_manifest(Path(sys.argv[1] if len(sys.argv) > 1 else "figures"))
    print("\n".join(found) or "all files match the manifest")
    raise SystemExit(bool(found))

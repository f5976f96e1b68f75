"""The manifest of all figures, and its verification: ``python -m attention_dynamics.claims.manifest [folder]``."""

import hashlib
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import pandas as pd

from attention_dynamics.claims.claim_summary import ClaimSummary
from attention_dynamics.claims.table_file import read_table

COLUMNS = [
    "paper", "figure", "file", "sha256", "scale", "fidelity", "data", "experiment_sha256", "seeds", "claims_held",
    "claims_judged",
]  # fmt: skip
FORMATS = ("pdf", "png", "svg", "csv", "md")


def build_manifest(
    figures: Iterable[Mapping[str, str]], files: Iterable[str], claims_file: str, pages: Iterable[str] = ()
) -> str:
    """Return a CSV file with one line per file.

    figures: ``Jobs._manifest``. files: paths figures/<paper>/<figure>.<format>. claims_file: claims.csv. pages: paths
    figures/<page>.html, which belong to no paper. Raises DamagedFile if claims_file is not such a table.
    """
    claims = read_table(claims_file, ("paper", "figure", "verdict", "says"))
    labels = {(label["paper"], label["figure"]): label for label in figures}
    rows = []
    for file in sorted(map(Path, files)):
        label = labels[file.parent.name, file.name.partition(".")[0]]
        mine = claims[(claims.paper == label["paper"]) & (claims.figure == label["figure"])]
        summary = ClaimSummary.of(mine.to_dict("records"))
        counts = {"claims_held": summary.held, "claims_judged": summary.judged}
        rows.append(label | counts | {"file": f"{file.parent.name}/{file.name}", "sha256": _sha256(file)})
    for page in sorted(map(Path, pages)):
        rows.append(dict.fromkeys(COLUMNS, "") | {"figure": page.stem, "file": page.name, "sha256": _sha256(page)})
    return pd.DataFrame(rows, columns=COLUMNS).to_csv(index=False, lineterminator="\n")


def verify_manifest(folder: Path) -> list[str]:
    """Return messages about files of a folder that are missing, altered, or not in its manifest.csv."""
    try:
        manifest = pd.read_csv(folder / "manifest.csv", keep_default_na=False)
        listed = dict(zip(manifest.file, manifest.sha256, strict=True))
    except FileNotFoundError:
        return [f"{folder / 'manifest.csv'}: there is none yet; run `snakemake figures/all` first"]
    except (OSError, ValueError, AttributeError) as error:
        return [f"{folder / 'manifest.csv'}: cannot be read ({error})"]
    problems = []
    for name, sha256 in listed.items():
        file = folder / name
        if not file.is_file():
            problems.append(f"{file}: is missing")
        elif _sha256(file) != sha256:
            problems.append(f"{file}: its SHA-256 differs from the manifest")
    present = {f"{f.parent.name}/{f.name}" for form in FORMATS for f in folder.glob(f"*/*.{form}")}
    return problems + [f"{folder / name}: is not in the manifest" for name in sorted(present - listed.keys())]


def _sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


if __name__ == "__main__":
    found = verify_manifest(Path(sys.argv[1] if len(sys.argv) > 1 else "figures"))
    print("\n".join(found) or "all files match the manifest")
    raise SystemExit(bool(found))

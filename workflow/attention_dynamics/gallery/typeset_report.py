"""Command that typesets the replication report, to be run after ``make figures``.

``python -m attention_dynamics.gallery.typeset_report [key=value ...]``: the settings with which the figures were made,
such as data=official. The scale is read from manifest.csv.
"""

import sys
from collections.abc import Mapping
from pathlib import Path

from attention_dynamics.claims.statement_tables import read_rows
from attention_dynamics.config.errors import exit_in_one_line
from attention_dynamics.config.load import load_config
from attention_dynamics.gallery.replication_report import CITATION, collect, metadata, typeset
from attention_dynamics.pipeline.jobs import Jobs
from attention_dynamics.store import write


def main(folder: Path, settings: Mapping[str, str]) -> None:
    """Write report.pdf and report.yaml into the folder of the figures.

    Exits if CITATION.cff is missing, as in a package that is installed without the repository.
    """
    if not CITATION.is_file():
        sys.exit("the replication report needs docs/ and CITATION.cff: typeset it in a clone of the repository")
    names = ("claims.csv", "statements.csv", "manifest.csv")
    claims, statements, manifest = (read_rows(folder / name) for name in names)
    scale = next(row["scale"] for row in manifest if row["scale"])
    config = load_config(Path("config"), {**settings, "scale": scale})
    content = collect(config, claims, statements, manifest, Jobs(config).get("captions").spec["figures"])
    write(folder / "report.pdf", typeset(content, folder))
    write(folder / "report.yaml", metadata(config).encode())


if __name__ == "__main__":
    with exit_in_one_line():
        main(Path("figures"), dict(setting.split("=", 1) for setting in sys.argv[1:]))

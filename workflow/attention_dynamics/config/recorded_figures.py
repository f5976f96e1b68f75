"""Records: figures and verdicts on real data that were computed once and are committed, in records/<scale>-<source>/.

``make record`` writes them (gallery/record_figures.py). A record whose experiment has changed since says so wherever it
is read.
"""

import csv
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from attention_dynamics.claims.claim import SCALES, SOURCES
from attention_dynamics.config.errors import ConfigError
from attention_dynamics.config.experiment import experiment_digest
from attention_dynamics.config.load import load_config
from attention_dynamics.registry import PACKAGE

RECORDS = PACKAGE.parents[1] / "records"
CLAIMS, PROVENANCE = "claims.csv", "provenance.json"
# The fidelity and the scale, with which every caption begins.
CAPTION_HEAD = re.compile(r"^\*\*.*?\*\* \(.*?\)\. ")
# Columns of a claim by which a statement is judged, and its texts.
VERDICT_COLUMNS = ("paper", "figure", "claim", "statement", "setting", "verdict", "measured", "expected", "decided_by")


@dataclass(frozen=True)
class RecordedFigure:
    """A figure on real data, at a scale and from a source of data sets.

    folder: records/<scale>-<source>. figure: "<paper>/<figure>". provenance: its part of provenance.json. claims: its
    rows of claims.csv, every cell a text. current: its experiment at this scale is still the one that was computed.
    """

    scale: str
    source: str
    folder: Path
    figure: str
    provenance: Mapping[str, Any]
    claims: Sequence[Mapping[str, str]]
    current: bool

    @property
    def files(self) -> list[Path]:
        """The picture, the caption and, unless they are left out, the numbers."""
        return sorted(self.folder.glob(f"{self.figure}.*"))

    @property
    def picture(self) -> Path:
        """The picture, a PNG file."""
        return self.folder / f"{self.figure}.png"

    @property
    def caption(self) -> str:
        """Where the picture is from, and its caption, as plain text with formulas."""
        text = self.picture.with_suffix(".caption.md").read_text()
        return f"On real data ({self.note}): {CAPTION_HEAD.sub('', text).strip()}"

    @property
    def note(self) -> str:
        """Scale, source and date, and that the experiment has changed since where it has."""
        changed = "" if self.current else "; the experiment has changed since"
        return f"{self.scale} scale, data={self.source}, recorded {self.provenance['date']}{changed}"


def load_records(config_folder: Path, records: Path = RECORDS) -> list[RecordedFigure]:
    """Return all recorded figures; none without the folder ``records``.

    config_folder: the configuration with which they are compared. Raises ConfigError for a file that `make record` has
    not written.
    """
    found = []
    for scale, source in product(SCALES, SOURCES):
        folder = records / f"{scale}-{source}"
        parts, claims = read_provenance(folder), read_claims(folder)
        digests = _current_digests(config_folder, scale) if parts else {}
        for figure, part in parts.items():
            mine = [row for row in claims if f"{row['paper']}/{row['figure']}" == figure]
            current = digests.get(figure) == part["experiment_sha256"]
            found.append(RecordedFigure(scale, source, folder, figure, part, mine, current))
    return found


def read_provenance(folder: Path) -> dict[str, dict[str, Any]]:
    """Return the parts of provenance.json in a folder, by figure; none if it has no such file.

    Raises ConfigError for a file without the form that `make record` gives it.
    """
    file = folder / PROVENANCE
    try:
        parts: dict[str, dict[str, Any]] = json.loads(file.read_text()) if file.exists() else {}
        if any(not {"date", "experiment_sha256"} <= part.keys() for part in parts.values()):
            raise ValueError
    except (ValueError, AttributeError):
        raise ConfigError(f"{file}: is not a file of `make record`; restore it from the repository") from None
    return parts


def read_claims(folder: Path) -> list[dict[str, str]]:
    """Return the rows of claims.csv in a folder; none if it has no such file.

    Raises ConfigError where columns are missing.
    """
    file = folder / CLAIMS
    if not file.exists():
        return []
    with file.open(newline="", encoding="utf-8") as lines:
        reader = csv.DictReader(lines)
        if missing := [name for name in VERDICT_COLUMNS if name not in (reader.fieldnames or ())]:
            raise ConfigError(f"{file}: has no column {missing[0]}; restore it from the repository")
        return list(reader)


def statement_rows(records: Iterable[RecordedFigure]) -> list[dict[str, Any]]:
    """Return what records say about statements: rows of claims, each with the ``note`` of its figure."""
    return [
        {name: row[name] for name in VERDICT_COLUMNS} | {"cases": {}, "note": record.note}
        for record in records
        for row in record.claims
        if row["statement"]
    ]


def _current_digests(config_folder: Path, scale: str) -> dict[str, str]:
    """Return the digests of today's experiments at a scale, by figure."""
    try:
        papers = load_config(config_folder, {"scale": scale}).papers
    except ConfigError:
        # A configuration that is wrong at this scale only must not hinder the other scales.
        return {}
    return {
        f"{name}/{figure}": experiment_digest(paper, figure)
        for name, paper in papers.items()
        for figure in paper.figures
    }

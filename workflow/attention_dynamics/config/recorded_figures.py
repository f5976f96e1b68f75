"""Records: figures and verdicts on real data, computed once and committed in records/<scale>-<source>/.

``make record`` writes them (gallery/record_figures.py). A record is marked, wherever it is shown, if the experiment has
changed since.
"""

import csv
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
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
# Beginning of every caption: the fidelity and the scale.
CAPTION_HEAD = re.compile(r"^\*\*.*?\*\* \(.*?\)\. ")
# A formula, which stays as it is, or a backslash before a character that Markdown would interpret.
ESCAPED = re.compile(r"(\$[^$]*\$)|\\(?=[*<\[\]])")
# Columns of claims.csv from which a statement is judged, or which are shown with its verdict.
VERDICT_COLUMNS = ("paper", "figure", "claim", "statement", "setting", "verdict", "measured", "expected", "decided_by")


@dataclass(frozen=True)
class RecordedFigure:
    """A figure on real data, at a scale and from a source of data sets.

    folder: records/<scale>-<source>. figure: "<paper>/<figure>". provenance: its part of provenance.json. claims: its
    rows of claims.csv, every cell a text. config_folder: the configuration that its experiment is compared with.
    """

    scale: str
    source: str
    folder: Path
    figure: str
    provenance: Mapping[str, Any]
    claims: Sequence[Mapping[str, str]]
    config_folder: Path

    @property
    def current(self) -> bool:
        """Whether the configuration still has the recorded experiment. It is loaded again, at the recorded scale."""
        digests = _current_digests(self.config_folder.resolve(), self.scale)
        return digests.get(self.figure) == self.provenance["experiment_sha256"]

    @property
    def files(self) -> list[Path]:
        """Paths of the picture, the caption and, unless it was left out, the CSV file of the numbers."""
        return sorted(self.folder.glob(f"{self.figure}.*"))

    @property
    def picture(self) -> Path:
        """Path of the picture, a PNG file."""
        return self.folder / f"{self.figure}.png"

    @property
    def caption(self) -> str:
        """Caption of the picture as plain text with formulas, after the origin of the picture (``note``)."""
        text = self.picture.with_suffix(".caption.md").read_text()
        plain = ESCAPED.sub(r"\1", CAPTION_HEAD.sub("", text).strip())
        return f"On real data ({self.note}): {plain}"

    @property
    def note(self) -> str:
        """Scale, source and date of the record, and, where it applies, that the experiment has changed since."""
        changed = "" if self.current else "; the experiment has changed since"
        return f"{self.scale} scale, data={self.source}, recorded {self.provenance['date']}{changed}"


def load_records(config_folder: Path, records: Path = RECORDS) -> list[RecordedFigure]:
    """Return all recorded figures; none without the folder ``records``.

    config_folder: the configuration whose experiments the records are compared with. Raises ConfigError for a file that
    is not as `make record` writes it.
    """
    found = []
    for scale, source in product(SCALES, SOURCES):
        folder = records / f"{scale}-{source}"
        claims = read_claims(folder)
        for figure, part in read_provenance(folder).items():
            mine = [row for row in claims if f"{row['paper']}/{row['figure']}" == figure]
            found.append(RecordedFigure(scale, source, folder, figure, part, mine, config_folder))
    return found


def read_provenance(folder: Path) -> dict[str, dict[str, Any]]:
    """Return "<paper>/<figure>" -> its part of provenance.json in a folder; empty without such a file.

    Raises ConfigError for a file that is not as `make record` writes it.
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
    """Return the rows of claims.csv in a folder; none without such a file.

    Raises ConfigError for a missing column.
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
    """Return a row for each recorded claim about a statement of a paper.

    A row has VERDICT_COLUMNS, an empty mapping ``cases``, and ``note``, the scale, source and date of the record.
    """
    return [
        {name: row[name] for name in VERDICT_COLUMNS} | {"cases": {}, "note": record.note}
        for record in records
        for row in record.claims
        if row["statement"]
    ]


@cache
def _current_digests(config_folder: Path, scale: str) -> dict[str, str]:
    """Return "<paper>/<figure>" -> digest of its experiment at a scale; {} if the configuration is wrong at this scale.

    The digests are those of the current configuration in ``config_folder``.
    """
    try:
        papers = load_config(config_folder, {"scale": scale}).papers
    except ConfigError:
        # An error at this scale alone must not prevent the records of other scales from being shown.
        return {}
    return {
        f"{name}/{figure}": experiment_digest(paper, figure)
        for name, paper in papers.items()
        for figure in paper.figures
    }

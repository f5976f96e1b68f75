"""Statements of the papers and the claims or tests for them. Their tables are statement_tables/<paper>.csv."""

import csv
from collections.abc import Iterable, Mapping

from attention_dynamics.registry import PACKAGE

# In the package, because the pages of an installed one list the statements without a check.
FOLDER = PACKAGE / "claims" / "statement_tables"
COLUMNS = ["paper", "number", "kind", "statement", "checked_by", "reason"]
# A theorem, lemma, proposition or corollary; a sentence about results; anything else, such as a definition.
KINDS = ("theorem", "sentence", "other")
# In the reason for a statement without check: nobody who has only our texts can know it, or it states nothing.
UNKNOWN = (
    "not at hand", "not known", "lost in the text", "a definition", "without a statement", "outlook", "future work",
)  # fmt: skip
Row = Mapping[str, str]


def load_statements() -> list[dict[str, str]]:
    """Return the rows of all papers. Raises ValueError for a file with other columns."""
    rows = []
    for file in sorted(FOLDER.glob("*.csv")):
        with file.open(newline="", encoding="utf-8") as lines:
            reader = csv.DictReader(lines)
            if reader.fieldnames != COLUMNS:
                raise ValueError(f"{file}: has the columns {reader.fieldnames}, expected {COLUMNS}")
            rows += list(reader)
    return rows


def checks(row: Row) -> list[str]:
    """Return the checks of a statement: "<figure>", "<figure>/<claim>" or "tests/<folder>/<file>.py::<test>"."""
    return [one.strip() for one in row["checked_by"].split(";") if one.strip()]


def is_known(row: Row) -> bool:
    """Return whether a statement says something that our copies of the texts contain."""
    return bool(checks(row)) or not any(words in row["reason"] for words in UNKNOWN)


def share_with_claims(rows: Iterable[Row]) -> tuple[int, int]:
    """Return how many theorems and sentences of known content have a figure or a claim, and how many there are."""
    counted = [row for row in rows if row["kind"] != "other" and is_known(row)]
    return sum(any(not one.startswith("tests/") for one in checks(row)) for row in counted), len(counted)

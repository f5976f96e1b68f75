"""Statements of the papers and the claims or tests for them, a page of the documentation.

Their tables are statement_tables/<paper>.csv.
"""

import csv
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from attention_dynamics.markdown_table import markdown_table
from attention_dynamics.registry import PACKAGE

if TYPE_CHECKING:
    from attention_dynamics.config.load import Config

# In the package, because the pages of an installed one list the statements without a check.
FOLDER = PACKAGE / "gallery" / "statement_tables"
COLUMNS = ["paper", "number", "kind", "statement", "checked_by", "reason"]
# A theorem, lemma, proposition or corollary; a sentence about results; anything else, such as a definition.
KINDS = ("theorem", "sentence", "other")
# In the reason for a statement without check: nobody who has only our texts can know it, or it states nothing.
UNKNOWN = (
    "not at hand", "not known", "lost in the text", "a definition", "without a statement", "outlook", "future work",
)  # fmt: skip
HEAD = """# Statements of the papers

Theorems, lemmas, propositions, corollaries and empirical sentences of the papers, in our words, with the figures,
claims and tests that check them, or the reason why none can. The claims with their verdicts are in `figures/claims.md`
after `make figures`. Above each table is how many theorems (with lemmas, propositions and corollaries) and sentences
about results have a figure or a claim, of those whose content is known; a test alone does not count. Definitions,
assumptions, equations and remarks are listed, but not counted there. Generated from the tables in
`gallery/statement_tables/` of the library.
"""

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


def page(config: "Config", rows: list[dict[str, str]]) -> str:
    """Return the page."""
    lines = [HEAD]
    for paper, content in config.papers.items():
        mine = [row for row in rows if row["paper"] == paper]
        if not mine:
            continue
        checked = sum(bool(checks(row)) for row in mine)
        shown, counted = share_with_claims(mine)
        lines += [
            f"## {content.title}\n",
            f"{shown} of {counted} theorems and sentences ({100 * shown / counted:.0f} %) have a figure or a claim; "
            f"{checked} of all {len(mine)} statements have a check.\n",
        ]
        cells = [[row["number"], row["statement"], _evidence(row)] for row in mine]
        lines += [*markdown_table(["", "statement", "checked by"], cells), ""]
    return "\n".join(lines)


def _evidence(row: Row) -> str:
    found = ", ".join(f"`{one}`" for one in checks(row))
    return " ".join(filter(None, [found, row["reason"]]))

"""The page of the documentation on the statements of the papers."""

from typing import TYPE_CHECKING

from attention_dynamics.claims.statements import Row, checks, share_with_claims
from attention_dynamics.markdown_table import markdown_table

if TYPE_CHECKING:
    from attention_dynamics.config.load import Config

HEAD = """# Statements of the papers

Theorems, lemmas, propositions, corollaries and empirical sentences of the papers, in our words, with the figures,
claims and tests that check them, or the reason why none can. The claims with their verdicts are in `figures/claims.md`
after `make figures`. Above each table is how many theorems (with lemmas, propositions and corollaries) and sentences
about results have a figure or a claim, of those whose content is known; a test alone does not count. Definitions,
assumptions, equations and remarks are listed, but not counted there. Generated from the tables in
`claims/statement_tables/` of the library.
"""


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

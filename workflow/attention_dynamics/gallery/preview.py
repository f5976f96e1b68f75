"""The README's table of results: ``python -m attention_dynamics.gallery.preview``, after `make figures`."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from attention_dynamics.claims.claim import BASES
from attention_dynamics.claims.finding import Finding, Row
from attention_dynamics.claims.ledger import read_ledger
from attention_dynamics.gallery.overview import anchor, failures_by_figure
from attention_dynamics.gallery.pages import FIDELITIES
from attention_dynamics.store import write

FIGURES_PAGE = "docs/figures.md"
BEGIN, END = "<!-- results: make preview -->\n", "<!-- end of the results -->"


def results(claims: pd.DataFrame) -> str:
    """Return Markdown: how many claims held of those judged, by fidelity and basis, and links to those that failed.

    claims: figures/claims.csv.
    """
    bases = [basis for basis in BASES if (claims.basis == basis).any()]
    lines = [
        f"| fidelity | {' | '.join(f'`{basis}`' for basis in bases)} | reported |",
        "|---|" + "---|" * (len(bases) + 1),
    ]
    for fidelity in FIDELITIES:
        if (claims.fidelity == fidelity).any():
            lines.append(_line(f"`{fidelity}`", claims[claims.fidelity == fidelity], bases))
    return "\n".join([*lines, "", *_failures(_rows(claims[claims.verdict == "failed"]))]) + "\n"


def with_results(page: str, table: str) -> str:
    """Return the README with its results replaced. Raises ValueError where it has no place for them."""
    before, found, rest = page.partition(BEGIN)
    _, ended, after = rest.partition(END)
    if not found or not ended:
        raise ValueError(f"README.md has no {BEGIN.strip()} ... {END}")
    return f"{before}{BEGIN}\n{table}\n{END}{after}"


def _line(head: str, claims: pd.DataFrame, bases: Sequence[str]) -> str:
    cells = [_cell(Finding.of(_rows(claims[claims.basis == basis]))) for basis in bases]
    return f"| {head} | {' | '.join(cells)} | {Finding.of(_rows(claims)).reported or ''} |"


def _cell(finding: Finding) -> str:
    if not finding.judged:
        return ""
    text = f"{finding.held} of {finding.judged}"
    return f"**{text}**" if finding.failed else text


def _failures(rows: Sequence[Row]) -> list[str]:
    """Return a line for each figure with claims that failed."""
    if not rows:
        return ["No claim failed."]
    head = f"{len(rows)} claim{'s' if len(rows) > 1 else ''} failed; each link leads to the explanation:"
    lines = []
    for name, failed in failures_by_figure(rows).items():
        ids = ", ".join(f"`{row['claim']}`" for row in failed)
        lines.append(f"- [{name}]({FIGURES_PAGE}#{anchor(name)}): {ids}")
    return [head, "", *lines]


def _rows(claims: pd.DataFrame) -> list[Mapping[str, str]]:
    return claims.to_dict("records")


if __name__ == "__main__":
    readme = Path("README.md")
    write(readme, with_results(readme.read_text(), results(read_ledger(Path("figures/claims.csv")))).encode())

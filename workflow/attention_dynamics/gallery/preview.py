"""The README's table of results: ``python -m attention_dynamics.gallery.preview``, after `make figures`."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from attention_dynamics.claims.claim import AUTHORS_CODE, BASES, PAPER
from attention_dynamics.claims.claim_summary import ClaimSummary
from attention_dynamics.claims.ledger import read_ledger
from attention_dynamics.gallery.overview import anchor, failures_by_figure
from attention_dynamics.gallery.pages import FIDELITIES
from attention_dynamics.markdown_table import markdown_table
from attention_dynamics.store import write

FIGURES_PAGE = "docs/figures.md"
BEGIN, END = "<!-- results: make preview -->\n", "<!-- end of the results -->"


def results(claims: pd.DataFrame) -> str:
    """Return Markdown: counts of the papers' own claims on their own figures, then of all claims, with the failures.

    claims: figures/claims.csv.
    """
    own = claims.basis.isin([PAPER, AUTHORS_CODE]) & (claims.fidelity != "extension")
    failed = claims.verdict == "failed"
    of_papers, of_code = (_count(claims[own], basis) for basis in (PAPER, AUTHORS_CODE))
    lines = [
        f"Of the claims that the papers make about their own figures (basis `{PAPER}`), {of_papers} hold;",
        f"of those that the authors' code and its outputs make (`{AUTHORS_CODE}`), {of_code}.",
        *_failures("These fail; each link leads to the explanation:", claims[own & failed]),
        "",
        "All claims, by fidelity and basis (a reported quantity is shown, but not judged):",
        "",
        *_table(claims),
        *_failures("Of our own claims, and of the claims about our extensions, these fail:", claims[~own & failed]),
    ]
    return "\n".join(lines) + "\n"


def _count(claims: pd.DataFrame, basis: str) -> str:
    summary = ClaimSummary.of(_rows(claims[claims.basis == basis]))
    return f"**{summary.held} of {summary.judged}**"


def _table(claims: pd.DataFrame) -> list[str]:
    """Return how many claims hold of those judged, a line for each fidelity."""
    bases = [basis for basis in BASES if (claims.basis == basis).any()]
    rows = [
        _line(f"`{fidelity}`", claims[claims.fidelity == fidelity], bases)
        for fidelity in FIDELITIES
        if (claims.fidelity == fidelity).any()
    ]
    return markdown_table(["fidelity", *(f"`{basis}`" for basis in bases), "reported"], rows)


def insert_results(page: str, table: str) -> str:
    """Return the README with its results replaced. Raises ValueError where the markers of their place are missing."""
    before, found, rest = page.partition(BEGIN)
    _, ended, after = rest.partition(END)
    if not found or not ended:
        raise ValueError(f"README.md has no {BEGIN.strip()} ... {END}")
    return f"{before}{BEGIN}\n{table}\n{END}{after}"


def _line(head: str, claims: pd.DataFrame, bases: Sequence[str]) -> list[str]:
    cells = [_cell(ClaimSummary.of(_rows(claims[claims.basis == basis]))) for basis in bases]
    return [head, *cells, str(ClaimSummary.of(_rows(claims)).reported or "")]


def _cell(summary: ClaimSummary) -> str:
    if not summary.judged:
        return ""
    text = f"{summary.held} of {summary.judged}"
    return f"**{text}**" if summary.failed else text


def _failures(head: str, claims: pd.DataFrame) -> list[str]:
    """Return a head, and a line of links for each paper with claims that failed; nothing where there are none."""
    lines: dict[str, list[str]] = {}
    for name, failed in failures_by_figure(_rows(claims)).items():
        ids = ", ".join(f"`{row['claim']}`" for row in failed)
        paper, _, figure = name.partition("/")
        lines.setdefault(paper, []).append(f"[{figure}]({FIGURES_PAGE}#{anchor(name)}) {ids}")
    return ["", head, "", *(f"- `{paper}`: {'; '.join(links)}" for paper, links in lines.items())] if lines else []


def _rows(claims: pd.DataFrame) -> list[Mapping[str, str]]:
    return claims.to_dict("records")


if __name__ == "__main__":
    from attention_dynamics.config.errors import exit_in_one_line

    readme = Path("README.md")
    with exit_in_one_line():
        write(readme, insert_results(readme.read_text(), results(read_ledger(Path("figures/claims.csv")))).encode())

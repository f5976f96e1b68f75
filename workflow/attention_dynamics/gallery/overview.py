"""The page of all figures, docs/figures.md: ``python -m attention_dynamics.gallery.overview``.

It is generated from the configuration and, for the claims that failed, from figures/claims.csv.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from attention_dynamics.markdown_table import markdown_table, plain_text
from attention_dynamics.plots.labels import ESCAPED, MARKDOWN, MATH
from attention_dynamics.store import write

if TYPE_CHECKING:
    from attention_dynamics.claims.claim_summary import Row
    from attention_dynamics.config.load import Config
    from attention_dynamics.config.paper import Paper

PAGE = Path("docs") / "figures.md"
COLUMNS = 4
FAILURE = "- **Fails:** "
HEAD = """# Figures

These are all figures of the four papers that this project recomputes, and its extensions (`ext_...`), which the papers
do not have. Click on a picture to read what it shows, its [fidelity](fidelity.md#fidelity-of-a-figure) (how close it is
to the published figure), and which of its claims fail. `make figures` computes all figures in full size, with a page
for each that has its files, settings and claims; `snakemake figures/<name>.pdf` computes one.

Abbreviations: gradient descent (GD), normalized gradient descent (NGD), stochastic gradient descent (SGD), stochastic
normalized gradient descent (SNGD), stochastic Polyak step size (SPS), support vector machine (SVM), the SVM of
attention (ATT-SVM or AttSVM), and its globally and locally optimal max-margin directions (GMM and LMM). The
[glossary](fidelity.md#glossary) explains them.

`make preview` writes this page.
"""


def render_overview(config: "Config", failed: Mapping[str, Sequence["Row"]]) -> str:
    """Return the page: for every paper a table of thumbnails, then a section for each of its figures.

    failed: "<paper>/<figure>" -> the rows of figures/claims.csv about claims that failed.
    """
    return "\n".join([HEAD, *(line for paper in config.papers.values() for line in _paper(paper, failed))])


def failures_by_figure(rows: Iterable["Row"]) -> dict[str, list["Row"]]:
    """Return the rows of claims that failed, by "<paper>/<figure>"."""
    failed: dict[str, list[Row]] = {}
    for row in rows:
        if row["verdict"] == "failed":
            failed.setdefault(f"{row['paper']}/{row['figure']}", []).append(row)
    return failed


def anchor(figure: str) -> str:
    """Return the anchor of the section of "<paper>/<figure>", as GitHub and Sphinx make it."""
    return figure.replace("/", "")


def escape(text: str) -> str:
    """Return a text for a Markdown page; what is between dollar signs is math and stays as it is."""
    parts = MATH.split(text.replace("\n", " "))
    return "".join(plain_text(part) if k % 2 else MARKDOWN.sub(ESCAPED, part) for k, part in enumerate(parts))


def _paper(paper: "Paper", failed: Mapping[str, Sequence["Row"]]) -> Iterator[str]:
    names = sorted(paper.figures, key=lambda name: paper.figures[name].fidelity == "extension")
    yield f"## {paper.title}\n"
    cells = [_cell(f"{paper.name}/{name}") for name in names]
    cells += [""] * (-len(cells) % COLUMNS)
    yield from markdown_table(
        [""] * COLUMNS, (cells[first : first + COLUMNS] for first in range(0, len(cells), COLUMNS))
    )
    yield ""
    for name in names:
        yield from _section(paper, name, failed.get(f"{paper.name}/{name}", ()))


def _cell(figure: str) -> str:
    return f"[![{figure}](thumbnails/{figure}.png)](#{anchor(figure)}) `{figure.partition('/')[2]}`"


def _section(paper: "Paper", name: str, failed: Sequence["Row"]) -> Iterator[str]:
    figure = paper.figures[name]
    shows = escape(figure.shows)
    yield f"### {paper.name}/{name}\n"
    yield f"![{name}](thumbnails/{paper.name}/{name}.png)\n"
    yield f"Shows {shows}. Fidelity: `{figure.fidelity}`.\n"
    explanations = {claim.name: claim.explanation for claim in paper.claims[name]}
    for row in failed:
        basis, numbers = (
            f"`{row['basis']}`, {row['source']}",
            f"Expected: {row['expected']}. Measured: {row['measured']}.",
        )
        explanation = explanations.get(row["claim"]) or "Not explained yet."
        text = f"{row['says']}. {numbers} Basis: {basis}. {explanation}"
        yield f"{FAILURE}`{row['claim']}`. {escape(text)}\n"


if __name__ == "__main__":
    from attention_dynamics.claims.ledger import read_ledger
    from attention_dynamics.config.errors import exit_in_one_line
    from attention_dynamics.config.load import load_config

    with exit_in_one_line():
        rows = read_ledger(Path("figures") / "claims.csv").to_dict("records")
        write(PAGE, render_overview(load_config(Path("config"), {}), failures_by_figure(rows)).encode())

"""The page of all figures with its thumbnails, docs/figures.md, and the README's table of results.

``python -m attention_dynamics.gallery.preview``, after `make figures`, writes them from the configuration, the pictures
and figures/claims.csv.
"""

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import pandas as pd
from PIL import Image

from attention_dynamics.claims.claim import AUTHORS_CODE, BASES, PAPER
from attention_dynamics.claims.claim_summary import ClaimSummary, Row
from attention_dynamics.claims.ledger import read_ledger
from attention_dynamics.config.errors import exit_in_one_line
from attention_dynamics.config.load import Config, load_config
from attention_dynamics.config.paper import Paper
from attention_dynamics.gallery.pages import FIDELITIES
from attention_dynamics.markdown_table import markdown_table, plain_text
from attention_dynamics.plots.labels import ESCAPED, MARKDOWN, MATH
from attention_dynamics.store import write

README, PAGE, THUMBNAILS = Path("README.md"), Path("docs") / "figures.md", Path("docs") / "thumbnails"
# The place of the results in the README.
BEGIN, END = "<!-- results: make preview -->\n", "<!-- end of the results -->"
# Of a thumbnail, in pixels. With fewer colors, different lines get the same one.
MAX_WIDTH_PX, MAX_HEIGHT_PX, PALETTE_COLORS = 720, 540, 256
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


def render_overview(config: Config, failed: Mapping[str, Sequence[Row]]) -> str:
    """Return the page: for every paper a table of thumbnails, then a section for each of its figures.

    failed: "<paper>/<figure>" -> the rows of figures/claims.csv about claims that failed.
    """
    return "\n".join([HEAD, *(line for paper in config.papers.values() for line in _paper(paper, failed))])


def failures_by_figure(rows: Iterable[Row]) -> dict[str, list[Row]]:
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


def _paper(paper: Paper, failed: Mapping[str, Sequence[Row]]) -> Iterator[str]:
    names = sorted(paper.figures, key=lambda name: paper.figures[name].fidelity == "extension")
    yield f"## {paper.title}\n"
    cells = [_thumbnail(f"{paper.name}/{name}") for name in names]
    cells += [""] * (-len(cells) % COLUMNS)
    yield from markdown_table(
        [""] * COLUMNS, (cells[first : first + COLUMNS] for first in range(0, len(cells), COLUMNS))
    )
    yield ""
    for name in names:
        yield from _section(paper, name, failed.get(f"{paper.name}/{name}", ()))


def _thumbnail(figure: str) -> str:
    return f"[![{figure}](thumbnails/{figure}.png)](#{anchor(figure)}) `{figure.partition('/')[2]}`"


def _section(paper: Paper, name: str, failed: Sequence[Row]) -> Iterator[str]:
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
        lines.setdefault(paper, []).append(f"[{figure}]({PAGE}#{anchor(name)}) {ids}")
    return ["", head, "", *(f"- `{paper}`: {'; '.join(links)}" for paper, links in lines.items())] if lines else []


def _rows(claims: pd.DataFrame) -> list[Row]:
    return claims.to_dict("records")


def shrink(picture: Path) -> bytes:
    """Return a picture as a PNG file of at most MAX_WIDTH_PX x MAX_HEIGHT_PX pixels and PALETTE_COLORS colors."""
    with Image.open(picture) as image:
        small = image.convert("RGB")
    small.thumbnail((MAX_WIDTH_PX, MAX_HEIGHT_PX), Image.Resampling.LANCZOS)
    out = io.BytesIO()
    small.quantize(PALETTE_COLORS, dither=Image.Dither.NONE).save(out, "png", optimize=True)
    return out.getvalue()


def write_thumbnails(names: Iterable[str], figures: Path, folder: Path) -> None:
    """Write <folder>/<paper>/<figure>.png for every figure, and delete the thumbnails of figures that are gone.

    names: "<paper>/<figure>". figures: the folder with the complete pictures.
    Raises FileNotFoundError where a picture is missing; nothing is written then.
    """
    thumbnails = {folder / f"{name}.png": shrink(figures / f"{name}.png") for name in names}
    for file, content in thumbnails.items():
        write(file, content)
    for file in set(folder.glob("*/*.png")) - thumbnails.keys():
        file.unlink()


if __name__ == "__main__":
    with exit_in_one_line():
        config, claims = load_config(Path("config"), {}), read_ledger(Path("figures/claims.csv"))
        write_thumbnails(config.figures(), Path("figures"), THUMBNAILS)
        write(PAGE, render_overview(config, failures_by_figure(_rows(claims))).encode())
        write(README, insert_results(README.read_text(), results(claims)).encode())

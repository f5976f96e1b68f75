"""The page of all figures, docs/figures.md, with its thumbnails, and the README's table of results.

``python -m attention_dynamics.gallery.preview``, after `make figures`, writes them from the configuration, the
pictures, figures/claims.csv and figures/statements.csv.
"""

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from PIL import Image

from attention_dynamics.claims.claim_summary import Row
from attention_dynamics.claims.ledger import read_ledger
from attention_dynamics.claims.statement_tables import count_tables, read_rows
from attention_dynamics.claims.statements import DOUBTED
from attention_dynamics.claims.verdict import Verdict
from attention_dynamics.config.errors import exit_in_one_line
from attention_dynamics.config.load import Config, load_config
from attention_dynamics.config.paper import Paper
from attention_dynamics.markdown_table import markdown_table, plain_text
from attention_dynamics.plots.labels import escape_markdown
from attention_dynamics.store import write

README, PAGE, THUMBNAILS = Path("README.md"), Path("docs") / "figures.md", Path("docs") / "thumbnails"
# Comments in the README before and after the results.
BEGIN, END = "<!-- results: make preview -->\n", "<!-- end of the results -->"
# Largest size of a thumbnail in pixels, and its number of colors; with fewer, different lines would get the same color.
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


def render_overview(config: Config, claims: Sequence[Row]) -> str:
    """Return the page: for every paper a table of thumbnails, then a section for each of its figures.

    claims: the rows of figures/claims.csv. The sections list those that failed.
    """
    return "\n".join([HEAD, *(line for paper in config.papers.values() for line in _paper(paper, claims))])


def anchor(figure: str) -> str:
    """Return the anchor of the section of "<paper>/<figure>", as GitHub and Sphinx make it."""
    return figure.replace("/", "")


def _paper(paper: Paper, claims: Sequence[Row]) -> Iterator[str]:
    names = sorted(paper.figures, key=lambda name: paper.figures[name].fidelity == "extension")
    yield f"## {paper.title}\n"
    cells = [_thumbnail(f"{paper.name}/{name}") for name in names]
    cells += [""] * (-len(cells) % COLUMNS)
    yield from markdown_table(
        [""] * COLUMNS, (cells[first : first + COLUMNS] for first in range(0, len(cells), COLUMNS))
    )
    yield ""
    for name in names:
        mine = [row for row in claims if (row["paper"], row["figure"]) == (paper.name, name)]
        yield from _section(paper, name, [row for row in mine if row["verdict"] == Verdict.FAILS])


def _thumbnail(figure: str) -> str:
    return f"[![{figure}](thumbnails/{figure}.png)](#{anchor(figure)}) `{figure.partition('/')[2]}`"


def _section(paper: Paper, name: str, failed: Sequence[Row]) -> Iterator[str]:
    figure = paper.figures[name]
    shows = escape_markdown(figure.shows)
    yield f"### {paper.name}/{name}\n"
    yield f"![{name}](thumbnails/{paper.name}/{name}.png)\n"
    yield f"Shows {shows}. Fidelity: `{figure.fidelity}`.\n"
    explanations = {claim.name: claim.explanation for claim in paper.claims[name]}
    for row in failed:
        numbers = f"Expected: {row['expected']}. Measured: {row['measured']}."
        explanation = explanations.get(row["claim"]) or "Not explained yet."
        text = f"{row['says']}. {numbers} Basis: `{row['basis']}`, {row['source']}. {explanation}"
        yield f"{FAILURE}`{row['claim']}`. {escape_markdown(text)}\n"


def results(statements: Sequence[Mapping[str, str]]) -> str:
    """Return Markdown with the number of statements for each verdict, and a list of the statements in doubt (DOUBTED).

    statements: rows of figures/statements.csv.
    """
    lines = count_tables(statements)
    if doubted := [row for row in statements if row["verdict"] in DOUBTED]:
        lines += ["", "Not, or not wholly, as the papers say, or only in one reading:", "", *map(_line, doubted)]
    return "\n".join(lines) + "\n"


def _line(row: Mapping[str, str]) -> str:
    figure = f"{row['paper']}/{row['primary'].partition('/')[0]}"
    place = f"[`{row['paper']}`, {row['where']}]({PAGE}#{anchor(figure)})"
    why = row["explanation"] or f"{row['measured']}."
    return f"- {place}: {plain_text(row['says'])} **{row['verdict'].capitalize()}.** {plain_text(why)}"


def insert_results(page: str, table: str) -> str:
    """Return the README with the text between BEGIN and END replaced. Raises ValueError if one of these is missing."""
    before, found, rest = page.partition(BEGIN)
    _, ended, after = rest.partition(END)
    if not found or not ended:
        raise ValueError(f"README.md has no {BEGIN.strip()} ... {END}")
    return f"{before}{BEGIN}\n{table}\n{END}{after}"


def shrink(picture: Path, max_size_px: tuple[int, int] = (MAX_WIDTH_PX, MAX_HEIGHT_PX)) -> bytes:
    """Return a picture as a PNG file of at most this width and height and PALETTE_COLORS colors."""
    with Image.open(picture) as image:
        small = image.convert("RGB")
    small.thumbnail(max_size_px, Image.Resampling.LANCZOS)
    out = io.BytesIO()
    small.quantize(PALETTE_COLORS, dither=Image.Dither.NONE).save(out, "png", optimize=True)
    return out.getvalue()


def write_thumbnails(names: Iterable[str], figures: Path, folder: Path) -> None:
    """Write <folder>/<paper>/<figure>.png for every figure, and delete the thumbnails of figures that are gone.

    names: "<paper>/<figure>" of each figure. figures: the folder with the pictures in full size.
    Raises FileNotFoundError, and writes nothing, if a picture is missing.
    """
    thumbnails = {folder / f"{name}.png": shrink(figures / f"{name}.png") for name in names}
    for file, content in thumbnails.items():
        write(file, content)
    for file in set(folder.glob("*/*.png")) - thumbnails.keys():
        file.unlink()


if __name__ == "__main__":
    with exit_in_one_line():
        config, claims = load_config(Path("config"), {}), read_ledger(Path("figures/claims.csv")).to_dict("records")
        write_thumbnails(config.figures(), Path("figures"), THUMBNAILS)
        write(PAGE, render_overview(config, claims).encode())
        statements = read_rows(Path("figures/statements.csv"))
        write(README, insert_results(README.read_text(), results(statements)).encode())

"""The pages of the gallery as texts. Equal inputs give equal bytes."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from attention_dynamics.claims.finding import Finding, Row
from attention_dynamics.gallery.images import png_size

PAGES = ("index", "claims", "settings")
# A picture that is wider than this many times its height gets the whole width of the page.
WIDE = 2.1
MARKS = {"held": "✓", "failed": "✗", "reported": "–", "not_judged": "–"}
WORDS = {"held": "holds", "failed": "fails", "reported": "reported", "not_judged": "not judged"}
FIDELITIES = {
    "exact": "data and parameters are known and used",
    "declared": "parameters are ours, because the paper gives none",
    "reconstructed": "data rebuilt to the paper's description",
    "stand-in": "a smaller model or other data",
    "extension": "ours, not the paper's",
}
BASES = {
    "paper": "the paper says it",
    "authors_code": "the published code shows it",
    "derived": "it follows from the definitions, by hand or by an independent computation",
    "chosen": "the threshold is ours",
}


def render(templates: Path, spec: Mapping[str, Any], rows: Sequence[Row], figures: Path) -> dict[str, str]:
    """Every page of PAGES, by name.

    templates: the folder with the pages' templates. spec: ``Jobs._gallery``. rows: the claims of all figures.
    figures: the folder with <paper>/<figure>.png; the pages are meant to lie in it, and it beside results/.
    Raises OSError or ValueError where a picture is missing or none.
    """
    environment = Environment(
        loader=FileSystemLoader(templates), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, keep_trailing_newline=True,
    )  # fmt: skip
    papers = [_paper(paper, rows, figures) for paper in spec["papers"]]
    given = {
        "papers": papers, "finding": Finding.of(rows), "settings": spec["settings"], "marks": MARKS, "words": WORDS,
        "fidelities": FIDELITIES, "bases": BASES,
    }  # fmt: skip
    return {page: environment.get_template(f"{page}.html").render(given) for page in PAGES}


def _paper(paper: Mapping[str, Any], rows: Sequence[Row], figures: Path) -> dict[str, Any]:
    mine = [row for row in rows if row["paper"] == paper["paper"]]
    shown = [_figure(paper["paper"], figure, mine, figures) for figure in paper["figures"]]
    settings = yaml.safe_dump(paper["effective"], sort_keys=False, allow_unicode=True, width=100)
    return {**paper, "figures": shown, "finding": Finding.of(mine), "effective": settings}


def _figure(paper: str, figure: Mapping[str, Any], rows: Sequence[Row], figures: Path) -> dict[str, Any]:
    name = figure["figure"]
    mine = [row for row in rows if row["figure"] == name]
    width, height = png_size(figures / paper / f"{name}.png")
    picture = {"width": width, "height": height, "wide": width > WIDE * height}
    return {**figure, "id": f"{paper}-{name}", "path": f"{paper}/{name}", "claims": mine,
            "finding": Finding.of(mine), "picture": picture}  # fmt: skip

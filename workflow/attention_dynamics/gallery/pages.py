"""The pages of the gallery as texts. Equal inputs give equal bytes."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import yaml
from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from attention_dynamics.claims.certificates import ABOUT, format_error
from attention_dynamics.claims.claim_summary import ClaimSummary, Row
from attention_dynamics.gallery.mathematics import to_html
from attention_dynamics.gallery.png_size import png_size
from attention_dynamics.plots.labels import to_plain

PAGES = ("index", "claims", "settings")
# A picture that is wider than this many times its height gets the whole width of the page.
WIDE_ASPECT_RATIO = 2.1
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
    "derived": "it follows by mathematics from the definitions",
    "recomputed": "an independent computation of ours gave the number",
    "chosen": "the threshold is ours",
}


def render(
    templates: Path, spec: Mapping[str, Any], rows: Sequence[Row], certificates: pd.DataFrame, figures: Path
) -> dict[str, str]:
    """Return every page of PAGES, by name.

    templates: the folder with the pages' templates. spec: ``Jobs._gallery``. rows: the claims of all figures.
    certificates: see ``claims.certificates.summarize``.
    figures: the folder with <paper>/<figure>.png; the pages belong into it, and it beside results/.
    Raises OSError or ValueError where a picture is missing or not a PNG file.
    """
    papers = [_paper(paper, rows, figures) for paper in spec["papers"]]
    given = {
        "papers": papers, "summary": ClaimSummary.of(rows), "settings": spec["settings"], "explore": spec["explore"],
        "marks": MARKS, "words": WORDS, "fidelities": FIDELITIES, "bases": BASES,
        "certificates": list(certificates.itertuples()), "about_certificates": ABOUT, "format_error": format_error,
    }  # fmt: skip
    return {page: template(templates, f"{page}.html").render(given) for page in PAGES}


def template(folder: Path, name: str) -> Template:
    """Return a template of a folder. Rendering raises UndefinedError for what it is not given."""
    environment = Environment(
        loader=FileSystemLoader(folder), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, keep_trailing_newline=True,
    )  # fmt: skip
    environment.filters |= {"html": to_html, "plain": to_plain}
    return environment.get_template(name)


def _paper(paper: Mapping[str, Any], rows: Sequence[Row], figures: Path) -> dict[str, Any]:
    mine = [row for row in rows if row["paper"] == paper["paper"]]
    cards = [_figure(paper["paper"], figure, mine, figures) for figure in paper["figures"]]
    settings = yaml.safe_dump(paper["effective"], sort_keys=False, allow_unicode=True, width=100)
    return {**paper, "figures": cards, "summary": ClaimSummary.of(mine), "effective": settings}


def _figure(paper: str, figure: Mapping[str, Any], rows: Sequence[Row], figures: Path) -> dict[str, Any]:
    name = figure["figure"]
    mine = [row for row in rows if row["figure"] == name]
    width, height = png_size(figures / paper / f"{name}.png")
    picture = {"width": width, "height": height, "wide": width > WIDE_ASPECT_RATIO * height}
    return {**figure, "id": f"{paper}-{name}", "path": f"{paper}/{name}", "claims": mine,
            "summary": ClaimSummary.of(mine), "picture": picture}  # fmt: skip

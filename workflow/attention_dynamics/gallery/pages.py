"""The pages of the gallery as texts. Equal inputs give equal bytes."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import yaml
from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from PIL import Image

from attention_dynamics.claims.certificates import ABOUT, format_error
from attention_dynamics.claims.claim import AUTHORS_CODE, PAPER
from attention_dynamics.claims.claim_summary import ClaimSummary, Row
from attention_dynamics.gallery.mathematics import fold_numbers, pretty_numbers, split_numbers, to_html
from attention_dynamics.plots.labels import caption, to_plain

PAGES = ("index", "claims", "settings")
# The figure that stands for a paper; for others their first one does.
COVERS = {"max_margin": "fig1a", "fast_rates": "fig2", "mirror_descent": "fig_joint_path", "scan_and_snap": "fig4"}
MARKS = {"holds": "✓", "fails": "✗", "undecided": "?", "compatible": "?", "reported": "–", "not tested": "–"}
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
    "chosen": "the threshold is ours",
}


def render(
    templates: Path, spec: Mapping[str, Any], rows: Sequence[Row], certificates: pd.DataFrame, figures: Path
) -> dict[str, str]:
    """Return every page of PAGES, and one for each figure, "<paper>/<figure>", by name.

    templates: the folder with the pages' templates. spec: ``Jobs._gallery``. rows: the claims of all figures.
    certificates: see ``claims.certificates.summarize``.
    figures: the folder with <paper>/<figure>.png; the pages belong into it.
    Raises OSError or ValueError where a picture is missing or not a PNG file.
    """
    papers = [_paper(paper, rows, figures, spec["settings"]) for paper in spec["papers"]]
    given = {
        "papers": papers, "summary": ClaimSummary.of(rows), "settings": spec["settings"], "explore": spec["explore"],
        "marks": MARKS, "fidelities": FIDELITIES, "bases": BASES, "root": "",
        "certificates": list(certificates.itertuples()), "about_certificates": ABOUT, "format_error": format_error,
    }  # fmt: skip
    pages = {page: template(templates, f"{page}.html").render(given) for page in PAGES}
    figure_page = template(templates, "figure.html")
    all_figures = [(paper, figure) for paper in papers for figure in paper["figures"]]
    for k, (paper, figure) in enumerate(all_figures):
        around = {"previous": all_figures[k - 1][1] if k else None,
                  "next": all_figures[k + 1][1] if k + 1 < len(all_figures) else None}  # fmt: skip
        pages[figure["path"]] = figure_page.render(given, **around, paper=paper, figure=figure, root="../")
    return pages


def template(folder: Path, name: str) -> Template:
    """Return a template of a folder. Rendering raises UndefinedError for what it is not given."""
    environment = Environment(
        loader=FileSystemLoader(folder), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, keep_trailing_newline=True,
    )  # fmt: skip
    environment.filters |= {"html": to_html, "plain": to_plain, "numbers": pretty_numbers, "fold": fold_numbers,
                            "pairs": lambda names: [(name, name) for name in names]}  # fmt: skip
    return environment.get_template(name)


def picture_size(file: Path) -> dict[str, int]:
    """Return width and height of a picture in pixels, for its place on a page."""
    with Image.open(file) as image:
        return {"width": image.width, "height": image.height}


def compare_published(rows: Sequence[Row]) -> Iterator[dict[str, Any]]:
    """Yield the claims that name published numbers, with "values": these, ours and the difference, as texts.

    A single published number stands beside all of ours.
    """
    for row in rows:
        published, _ = split_numbers(row["expected"])
        ours, _ = split_numbers(row["measured"])
        if row["published"] and ours and len(published) in (1, len(ours)):
            wanted = published if len(published) == len(ours) else published * len(ours)
            values = [[f"{a:.6g}", f"{b:.6g}", f"{b - a:+.2g}" if a != b else "0"]
                      for a, b in zip(wanted, ours, strict=True)]  # fmt: skip
            yield {"row": row, "values": [[pretty_numbers(cell) for cell in line] for line in values]}


def _paper(paper: Mapping[str, Any], rows: Sequence[Row], figures: Path, settings: Mapping[str, Any]) -> dict[str, Any]:
    mine = [row for row in rows if row["paper"] == paper["paper"]]
    cards = [_figure(paper, figure, mine, figures, settings) for figure in paper["figures"]]
    cover = next((card for card in cards if card["figure"] == COVERS.get(paper["paper"])), cards[0] if cards else None)
    theirs = ClaimSummary.of([row for row in mine if row["basis"] in (PAPER, AUTHORS_CODE)])
    blocks = {
        part: {name: _to_yaml(block) for name, block in paper["effective"][part].items()}
        for part in ("figures", "runs", "problems")
    }
    return {**paper, "figures": cards, "cover": cover, "summary": ClaimSummary.of(mine), "theirs": theirs,
            "not_tested": theirs.not_tested + len(paper["unchecked"]), "blocks": blocks}  # fmt: skip


def _figure(
    paper: Mapping[str, Any], figure: Mapping[str, Any], rows: Sequence[Row], figures: Path, settings: Mapping[str, Any]
) -> dict[str, Any]:
    name, path = figure["figure"], f"{paper['paper']}/{figure['figure']}"
    mine = [row for row in rows if row["figure"] == name]
    theirs = [row for row in mine if row["basis"] in (PAPER, AUTHORS_CODE)]
    effective = paper["effective"]
    runs = {run: effective["runs"][run] for run in figure["data"]}
    problems = {run["problem"]: effective["problems"][run["problem"]] for run in runs.values()}
    changed = [f"{key}={settings[key]}" for key, usual in (("scale", "laptop"), ("data", "embedded"))
               if settings[key] != usual]  # fmt: skip
    return {
        **figure,
        "id": f"{paper['paper']}-{name}",
        "path": path,
        "claims": mine,
        "summary": ClaimSummary.of(mine),
        "theirs": ClaimSummary.of(theirs),
        "ours": ClaimSummary.of([row for row in mine if row not in theirs]),
        "bases": sorted({row["basis"] for row in mine}),
        "caption": caption({**figure, "scale": settings["scale"]}),
        "published": list(compare_published(mine)),
        "settings": _to_yaml({"figures": {name: effective["figures"][name]}, "runs": runs, "problems": problems}),
        "command": " ".join([f"snakemake figures/{path}.pdf", *(["--config", *changed] if changed else [])]),
        "picture": picture_size(figures / f"{path}.png"),
    }


def _to_yaml(settings: Mapping[str, Any]) -> str:
    return yaml.safe_dump(settings, sort_keys=False, allow_unicode=True, width=100)

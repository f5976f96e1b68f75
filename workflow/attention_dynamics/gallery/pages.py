"""The pages of the gallery as texts. Equal inputs give equal bytes."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import yaml
from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from attention_dynamics.claims.certificates import ABOUT, format_error
from attention_dynamics.claims.claim import split_ids
from attention_dynamics.claims.claim_summary import ClaimSummary, Row
from attention_dynamics.claims.statement_tables import KINDS, column_of, count_statements
from attention_dynamics.claims.statements import DOUBTED, SETTINGS, Outcome
from attention_dynamics.gallery.mathematics import (
    fold_numbers,
    pretty_numbers,
    shorten_measured,
    split_numbers,
    to_html,
)
from attention_dynamics.gallery.pictures import size_without_header
from attention_dynamics.plots.labels import to_plain

PAGES = ("index", "doubts", "claims", "settings")
# Verdicts on claims, in the order in which a reader should see them.
VERDICTS = ("fails", "undecided", "compatible", "holds", "reported", "not tested")
# Verdict on a statement -> the verdict on a claim that has the same mark and color. All other verdicts look like
# "reported".
LIKE: dict[str, str] = {
    **dict.fromkeys([Outcome.SUPPORTED, Outcome.NO_COUNTEREXAMPLE, Outcome.AGREES, Outcome.TEST], "holds"),
    **dict.fromkeys([Outcome.CONTRADICTED, Outcome.COUNTEREXAMPLE, Outcome.DISAGREES], "fails"),
    **dict.fromkeys([Outcome.PARTLY, Outcome.READINGS, Outcome.NOT_CONFIRMED, Outcome.UNDECIDED], "undecided"),
}
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
    templates: Path,
    spec: Mapping[str, Any],
    rows: Sequence[Row],
    statements: Sequence[Row],
    certificates: pd.DataFrame,
    figures: Path,
) -> dict[str, str]:
    """Return a dict: name of a page -> HTML. The names are those in PAGES, and "<paper>/<figure>" for each figure.

    templates: the folder with the pages' templates. spec: see ``Jobs._gallery``. rows: the claims of all figures.
    statements: the rows of statements.csv. certificates: see ``claims.certificates.summarize``.
    figures: the folder with <paper>/<figure>.png and .pdf, in which the pages are to be written.
    Raises OSError or ValueError if one of these files is missing or invalid.
    """
    papers = [_paper(paper, rows, statements, figures, spec["settings"]) for paper in spec["papers"]]
    given = {
        "papers": papers, "summary": ClaimSummary.of(rows), "settings": spec["settings"], "explore": spec["explore"],
        "verdicts": VERDICTS, "fidelities": FIDELITIES, "bases": BASES, "data": SETTINGS, "root": "",
        "counts": {kind: count_statements(statements, kind) for kind in KINDS},
        "certificates": list(certificates.itertuples()), "about_certificates": ABOUT, "format_error": format_error,
    }  # fmt: skip
    pages = {page: template(templates, f"{page}.html").render(given) for page in PAGES}
    figure_page = template(templates, "figure.html")
    for paper in papers:
        for k, figure in enumerate(paper["figures"]):
            around = {"previous": paper["figures"][k - 1] if k else None, "next": [*paper["figures"], None][k + 1]}
            pages[figure["path"]] = figure_page.render(given | around, paper=paper, figure=figure, root="../")
    return pages


def template(folder: Path, name: str) -> Template:
    """Return a template of a folder. Rendering raises UndefinedError for a variable that is not given."""
    environment = Environment(
        loader=FileSystemLoader(folder), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, keep_trailing_newline=True,
    )  # fmt: skip
    environment.filters |= {
        "html": to_html, "plain": to_plain, "numbers": pretty_numbers, "shorten": shorten_measured,
        "fold": fold_numbers, "zip": zip, "slug": lambda text: re.sub(r"\W+", "-", text),
    }  # fmt: skip
    return environment.get_template(name)


def compare_published(rows: Sequence[Row]) -> Iterator[dict[str, Any]]:
    """Yield a dict for each claim with published numbers: its "row", and "values", a list for each of our numbers.

    A list has three texts: the published number, our number and our number minus the published one. A single published
    number is compared with each of our numbers. Otherwise there must be as many published numbers as ours, or the claim
    is left out.
    """
    for row in rows:
        published, ours = (split_numbers(row[column])[0] for column in ("expected", "measured"))
        if row["published"] and ours and len(published) in (1, len(ours)):
            pairs = zip(published if len(published) == len(ours) else published * len(ours), ours, strict=True)
            values = [[f"{a:.3g}", f"{b:.3g}", f"{b - a:+.2g}" if a != b else "0"] for a, b in pairs]
            yield {"row": row, "values": [[*map(pretty_numbers, line)] for line in values]}


def _paper(
    paper: Mapping[str, Any], rows: Sequence[Row], statements: Sequence[Row], figures: Path, settings: Mapping[str, Any]
) -> dict[str, Any]:
    mine = [row for row in rows if row["paper"] == paper["paper"]]
    cards = {figure["figure"]: _figure(paper, figure, mine, figures, settings) for figure in paper["figures"]}
    stated = [_statement(row, mine, cards) for row in statements if row["paper"] == paper["paper"]]
    judged = [one for one in stated if one["verdict"] != Outcome.NOT_JUDGED]
    for place, one in enumerate(judged):
        for card in one["figures"]:
            card["statements"].append(one)
            card["places"].append(place)
    for name, card in cards.items():
        card["statements"].sort(key=lambda one: VERDICTS.index(one["like"]))
        # The panels of fig4 are called fig4a, fig4b and so on.
        card["panels"] = [other for key, other in cards.items() if key[:-1] == name and key[-1].isalpha()]
        card["all_claims"] = [row for one in (card, *card["panels"]) for row in one["claims"]]
        card["tally"] = ClaimSummary.of(card["all_claims"])
    parts = {part: paper["effective"][part] for part in ("figures", "runs", "problems")}
    blocks = {part: {name: _to_yaml(block) for name, block in given.items()} for part, given in parts.items()}
    return {
        **paper, "figures": sorted(cards.values(), key=_place), "summary": ClaimSummary.of(mine), "blocks": blocks,
        "statements": judged,
        "not_judged": [one for one in stated if one["verdict"] == Outcome.NOT_JUDGED],
        "doubts": [one for one in stated if one["verdict"] in (*DOUBTED, Outcome.UNDECIDED)],
    }  # fmt: skip


def _statement(row: Row, claims: Sequence[Row], figures: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row of statements.csv with more keys for the pages. "claim": the row of its primary claim, or None.

    "figures": the figures of all claims about the statement; the primary claim's figure is first. "like": see LIKE.
    "column": the column of the tables of statements in which it is counted.
    """
    mine = {f"{one['figure']}/{one['claim']}": one for one in claims if row["id"] in split_ids(one["statement"])}
    names = dict.fromkeys(name.partition("/")[0] for name in (row["primary"], *mine))
    return {
        **row, "claim": mine.get(row["primary"]), "figures": [figures[name] for name in names if name in figures],
        "like": LIKE.get(row["verdict"], "reported"), "column": column_of(row),
    }  # fmt: skip


def _place(figure: Mapping[str, Any]) -> tuple[bool, float, float, str]:
    """Return a key that sorts figures as their paper does, and extensions after all other figures.

    Figures with a number come first. Figures without a number are sorted by the place of the last statement about them
    in the paper's list of judged statements, and extensions by the place of the first statement about them.
    """
    name, places = figure["figure"], figure["places"] or [math.inf]
    if number := re.match(r"fig(\d+)", name):
        return figure["extension"], float(number[1]), 0, name
    return figure["extension"], math.inf, places[0 if figure["extension"] else -1], name


def _figure(
    paper: Mapping[str, Any], figure: Mapping[str, Any], rows: Sequence[Row], figures: Path, settings: Mapping[str, Any]
) -> dict[str, Any]:
    name, path = figure["figure"], f"{paper['paper']}/{figure['figure']}"
    mine = sorted((row for row in rows if row["figure"] == name), key=lambda row: VERDICTS.index(row["verdict"]))
    effective = paper["effective"]
    runs = {run: effective["runs"][run] for run in figure["data"]}
    problems = {run["problem"]: effective["problems"][run["problem"]] for run in runs.values()}
    changed = [f"{key}={settings[key]}" for key, usual in (("scale", "laptop"), ("data", "embedded"))
               if settings[key] != usual]  # fmt: skip
    extension, numbered = figure["fidelity"].startswith("extension"), re.match(r"Fig \w+(?=:)", figure["title"])
    words = re.sub("^(ext|fig)_", "", name).replace("_", " ") + (" (ours)" if extension else "")
    return {
        **figure, "id": f"{paper['paper']}-{name}", "path": path, "short": numbered[0] if numbered else words,
        "claims": mine, "summary": ClaimSummary.of(mine), "extension": extension, "statements": [], "places": [],
        "published": list(compare_published(mine)),
        "settings": _to_yaml({"figures": {name: effective["figures"][name]}, "runs": runs, "problems": problems}),
        "command": " ".join([f"snakemake figures/{path}.pdf", *(["--config", *changed] if changed else [])]),
        "picture": size_without_header(figures / f"{path}.png"),
    }  # fmt: skip


def _to_yaml(settings: Mapping[str, Any]) -> str:
    return yaml.safe_dump(settings, sort_keys=False, allow_unicode=True, width=100)

"""The replication report, `make report-pdf`: one part for each paper, and metadata with the keys of ReScience.

Typst typesets the template with its own fonts. Every number comes from claims.csv, statements.csv, manifest.csv and the
configuration.
"""

import json
import re
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Literal

import yaml

from attention_dynamics.claims.claim_summary import ClaimSummary, Row
from attention_dynamics.claims.statements import DEFINITION, DOUBTED, OBSERVATION, THEOREM, Outcome
from attention_dynamics.gallery.discrepancies import load_discrepancies, section_of
from attention_dynamics.gallery.mathematics import to_mathml
from attention_dynamics.gallery.pages import FIDELITIES
from attention_dynamics.gallery.pictures import page_size
from attention_dynamics.plots.labels import caption, to_plain
from attention_dynamics.registry import PACKAGE

if TYPE_CHECKING:
    from attention_dynamics.config.load import Config

TEMPLATE = PACKAGE / "gallery" / "templates" / "report" / "report.typ"
CITATION = PACKAGE.parents[1] / "CITATION.cff"
TITLE = "Replication of papers on how attention is trained"
# Tagged archival PDF. This standard requires a date; a fixed one makes reports of equal content bit-identical.
PDF_STANDARD: Literal["a-2a"] = "a-2a"
TIMESTAMP = 0
PARTS = re.compile(r"\$([^$]*)\$|`([^`]*)`|\*\*([^*]+)\*\*")
# Matches the size, in points, in SVG files of Matplotlib.
VIEW = re.compile(r'width="[0-9.]+pt" height="[0-9.]+pt" viewBox="0 0 ([0-9.]+) ([0-9.]+)"')
# Typst's functions for marks above a symbol.
ACCENTS: Mapping[str | None, str] = {"\u00af": "macron", "^": "hat", "~": "tilde"}
# Bars of norms and absolute values, which Typst would take for relations.
BARS: Mapping[str | None, str] = {"|": "bar.v", "\u2016": "bar.v.double"}
BETWEEN_UPRIGHT_LETTERS = re.compile(r'(?<=[A-Za-z])"\) upright\("(?=[A-Za-z])')
Parts = list[tuple[str, str, str]]


def collect(
    config: "Config",
    claims: Sequence[Row],
    statements: Sequence[Row],
    manifest: Sequence[Row],
    captions: Mapping[str, Any],
) -> Any:
    """Return the content of the report, which ``json.dumps`` can write.

    claims, statements, manifest: the rows of the CSV files in figures/. captions: the parts of the caption of each
    figure, by "<paper>/<figure>".
    """
    citations = {reference["identifiers"][0]["value"]: reference for reference in _citation_file()["references"]}
    papers = []
    for name, paper in config.papers.items():
        mine = [row for row in claims if row["paper"] == name]
        texts = {key: label for key, label in captions.items() if key.startswith(f"{name}/")}
        listed = {row["figure"]: row for row in manifest if row["paper"] == name}
        rows = [row for row in statements if row["paper"] == name]
        # A panel is left out if the joint figure shows it: fig1a is in fig1, but fig10 is not.
        panels = {key for key in texts if key[-1].isalpha() and key[:-1] in texts}
        order = sorted(texts.keys() - panels, key=_natural_order)
        papers.append({
            "title": paper.title,
            "citation": format_citation(citations[f"arXiv:{paper.arxiv}"]),
            "url": f"https://arxiv.org/abs/{paper.arxiv}",
            "fidelities": _counts(FIDELITIES, mine, list(listed.values())),
            "data": sorted({row["data"].removeprefix("data: ") for row in listed.values() if row["data"]}),
            "observations": [_statement(row) for row in rows if row["kind"] == OBSERVATION],
            "theorems": _places([row for row in rows if row["kind"] == THEOREM]),
            "doubted": [_statement(row) for row in rows if row["verdict"] in DOUBTED],
            "discrepancies": [one | {"text": rich(one["text"])} for one in section_of(name)],
            "figures": [_figure(key, texts[key], mine) for key in order if not _is_extension(texts[key])],
            "extensions": [_figure(key, texts[key], mine) for key in order if _is_extension(texts[key])],
        })  # fmt: skip
    counts = Counter(row["verdict"] for row in statements if row["kind"] != DEFINITION)
    return {
        "title": TITLE,
        "author": _citation_file()["authors"][0]["name"],
        "scale": config.settings.scale,
        "statements": counts.total(),
        "verdicts": [{"verdict": one, "count": counts[one]} for one in Outcome if counts[one]],
        "about_discrepancies": [rich(one["text"]) for one in load_discrepancies()[""]],
        "papers": papers,
    }  # fmt: skip


def metadata(config: "Config") -> str:
    """Return YAML with the keys of an article of ReScience. Values that a journal or an archive assigns are empty."""
    about = _citation_file()
    references = {reference["identifiers"][0]["value"]: reference for reference in about["references"]}
    replication = [
        {
            "cite": format_citation(references[f"arXiv:{paper.arxiv}"]),
            "bib": "",
            "url": f"https://arxiv.org/abs/{paper.arxiv}",
            "doi": f"10.48550/arXiv.{paper.arxiv}",
        }
        for paper in config.papers.values()
    ]
    content = {
        "title": TITLE,
        "authors": [
            {"name": author["name"], "orcid": "", "email": "", "affiliations": ""} for author in about["authors"]
        ],
        "code": [{"url": "", "doi": "", "swh": ""}],
        "data": [{"url": "", "doi": ""}],
        "replication": replication,
        "abstract": " ".join(about["abstract"].split()),
        "keywords": "replication, attention, implicit bias, max-margin, Python",
        "language": "Python",
        "domain": "Computational Mathematics",
        "type": "Replication",
        "review": [{"url": ""}],
        "article": {"number": "", "doi": "", "url": ""},
    }
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=120)


def typeset(content: Any, folder: Path) -> bytes:
    """Return the report as PDF/A. content: see ``collect``. folder: the folder of the figures.

    Raises RuntimeError if Typst cannot set a picture or a formula, and ValueError for a picture that states no size.
    """
    import typst

    names = {one["file"] for paper in content["papers"] for one in [*paper["figures"], *paper["extensions"]]}
    with TemporaryDirectory() as root:
        for name in names:
            (Path(root) / name).parent.mkdir(exist_ok=True)
            (Path(root) / name).write_text(print_picture(folder / name), encoding="utf-8")
        (Path(root) / "data.json").write_text(json.dumps(content), encoding="utf-8")
        template = Path(root) / TEMPLATE.name
        template.write_bytes(TEMPLATE.read_bytes())
        pdf: bytes = typst.compile(
            template, format="pdf", ignore_system_fonts=True, pdf_standards=PDF_STANDARD, timestamp=TIMESTAMP
        )
    return pdf


def print_picture(file: Path) -> str:
    """Return the text of a figure's SVG file without the header, in the size of the PDF file beside it.

    The picture then looks like the PDF file, which is for print and has no header. The PDF file itself cannot be used,
    because PDF/A takes no other PDF as a picture. Raises ValueError if one of the files does not state its size.
    """
    width, height = page_size(file.with_suffix(".pdf"))
    text = file.read_text(encoding="utf-8")
    root = VIEW.search(text)
    if not root:
        raise ValueError(f"{file}: no size in it")
    view = f'width="{width}pt" height="{height}pt" viewBox="0 {float(root[2]) - height} {width} {height}"'
    return text[: root.start()] + view + text[root.end() :]


def rich(text: str) -> Parts:
    """Split a text into parts, each as (kind, content, plain).

    kind: "text", "code" (in backticks), "strong" (between double asterisks) or "math" (between dollar signs). content:
    the text of the part; for "math", the formula in the notation of Typst. plain: for "math", the formula as plain
    text; for other kinds, "".
    """
    parts, end = [], 0
    for found in PARTS.finditer(text):
        formula, code, strong = found.groups()
        parts.append(("text", text[end : found.start()], ""))
        if formula is not None:
            parts.append(("math", to_typst(formula), to_plain(found[0])))
        else:
            parts.append(("code", code, "") if strong is None else ("strong", strong, ""))
        end = found.end()
    return [part for part in [*parts, ("text", text[end:], "")] if part[1]]


def to_typst(formula: str) -> str:
    """Return a LaTeX formula in the notation of Typst. Raises ValueError for elements that have no such notation."""
    return _element(ElementTree.fromstring(to_mathml(formula)))  # noqa: S314


def format_citation(reference: Mapping[str, Any]) -> str:
    """Return authors, title, place and year of an entry of CITATION.cff."""
    names = [f"{author['given-names']} {author['family-names']}" for author in reference["authors"]]
    place = reference.get("journal") or reference["collection-title"]
    return f"{', '.join(names)}: {reference['title']}. {place}, {reference['year']}."


def _element(node: ElementTree.Element) -> str:
    tag, text, children = node.tag.rpartition("}")[2], (node.text or "").strip(), [_element(one) for one in node]
    match tag:
        case "math" | "mrow" | "mstyle":
            # MathML writes each letter of an upright word as a separate element. Join the letters.
            return BETWEEN_UPRIGHT_LETTERS.sub("", " ".join(children))
        case "mi" if len(text) > 1 or node.get("mathvariant") == "normal":
            return f"upright({_quoted(text)})"
        case "mn" | "mtext":
            return _quoted(text)
        case "mo" if text in BARS:
            return f'class("normal", {BARS[text]})'
        case "mi" | "mo" if len(text) == 1:
            return f"\\{text}" if text.isascii() and (tag == "mo" or not text.isalnum()) else text
        case "mo":
            # Operator names such as cos are functions in Typst.
            is_name = all(one.isalpha() or one.isspace() or not one.isascii() for one in text)
            return text if is_name else _quoted(text)
        case "mspace":
            return "thin"
        case "msup" | "msub" | "msubsup":
            marks = {"msup": "^", "msub": "_", "msubsup": "_^"}[tag]
            scripts = "".join(f"{mark}({part})" for mark, part in zip(marks, children[1:], strict=True))
            return f"{children[0]}{scripts}"
        case "mfrac":
            return f"frac({', '.join(children)})"
        case "mover" if node[1].text in ACCENTS:
            return f"{ACCENTS[node[1].text]}({children[0]})"
        case "msqrt":
            return f"sqrt({' '.join(children)})"
    raise ValueError(f"<{tag}> has no notation in Typst")


def _quoted(text: str) -> str:
    """Return a string literal of Typst. ``json.dumps`` would write escapes that Typst does not have."""
    return '"{}"'.format(text.replace("\\", "\\\\").replace('"', '\\"'))


def _natural_order(name: str) -> list[str | int]:
    """Return a key that sorts fig2 before fig10."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]


def _is_extension(label: Row) -> bool:
    return bool(label["fidelity"] == "extension")


def _citation_file() -> Any:
    return yaml.safe_load(CITATION.read_text(encoding="utf-8"))


def _counts(meanings: Mapping[str, str], claims: Sequence[Row], figures: Sequence[Row]) -> list[Any]:
    """Return a dict for each fidelity that a figure has: its meaning, and the counts of its figures and claims."""
    rows = []
    for name, meaning in meanings.items():
        shown = {row["figure"] for row in figures if row["fidelity"] == name}
        summary = ClaimSummary.of([row for row in claims if row["fidelity"] == name])
        if shown:
            rows.append({
                "name": name, "meaning": meaning, "figures": len(shown), "held": summary.held,
                "failed": len(summary.failed), "undecided": summary.undecided, "reported": summary.reported,
            })  # fmt: skip
    return rows


def _statement(row: Row) -> dict[str, Any]:
    texts = {key: row[key] for key in ("where", "verdict", "setting")}
    figure = row["primary"].partition("/")[0]
    return texts | {"figure": figure, "says": rich(row["says"]), "why": rich(row["explanation"] or row["measured"])}


def _places(theorems: Sequence[Row]) -> list[dict[str, str]]:
    """Return a dict for each verdict that occurs: "verdict", and "places", where the paper has the theorems with it."""
    places = {one: "; ".join(row["where"] for row in theorems if row["verdict"] == one) for one in Outcome}
    return [{"verdict": verdict, "places": text} for verdict, text in places.items() if text]


def _figure(key: str, label: Mapping[str, str], claims: Sequence[Row]) -> dict[str, Any]:
    name = key.partition("/")[2]
    fidelity, rest = caption(label)
    summary = ClaimSummary.of([row for row in claims if row["figure"] == name])
    return {
        "name": name, "file": f"{key}.svg", "alt": to_plain(label["title"]), "fidelity": fidelity,
        "caption": rich(rest), "verdict": summary.text,
    }  # fmt: skip

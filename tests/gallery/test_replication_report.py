"""The replication report: where its numbers come from, and that Typst sets it."""

import json
import re
from collections import Counter

import matplotlib.pyplot as plt
import pytest
import yaml

from attention_dynamics.claims.claim_summary import ClaimSummary
from attention_dynamics.claims.statement_tables import judge_statements
from attention_dynamics.claims.statements import DEFINITION, DOUBTED, OBSERVATION, THEOREM, Outcome, load_statements
from attention_dynamics.gallery import replication_report as report
from attention_dynamics.gallery.discrepancies import load_discrepancies
from attention_dynamics.gallery.pages import FIDELITIES
from attention_dynamics.pipeline.jobs import Jobs
from attention_dynamics.plots.labels import MATH, caption, to_plain
from conftest import ROOT
from helpers.published_config import published_config

CONFIG = published_config()
# Verdict of a claim -> the key of its count.
COUNTS = {"holds": "held", "fails": "failed", "undecided": "undecided", "reported": "reported"}
VERDICTS = [*COUNTS, "not tested"]
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def ledger() -> list[dict[str, str]]:
    """Return rows of claims.csv for the claims of the configuration, with made-up verdicts and values."""
    rows = []
    for paper in CONFIG.papers.values():
        for figure, claims in paper.claims.items():
            for claim in claims:
                number = len(rows)
                rows.append({
                    "paper": paper.name, "figure": figure, "claim": claim.name, "says": claim.says,
                    "source": claim.source, "basis": claim.basis, "expected": f">= {number}.5",
                    "measured": f"{number}.25", "verdict": VERDICTS[number % 5], "scale": "laptop",
                    "fidelity": paper.figures[figure].fidelity, "interval": f"[{number}.125, {number}.375]",
                    "statement": claim.statement, "setting": "paper", "cases": {}, "explanation": claim.explanation,
                    "decided_by": "",
                })  # fmt: skip
    return rows


@pytest.fixture(scope="module")
def inputs():
    jobs = Jobs(CONFIG)
    claims = ledger()
    statements = [one for paper in CONFIG.papers for one in load_statements(paper)]
    manifest, captions = (jobs.get(name).spec["figures"] for name in ("manifest", "captions"))
    return CONFIG, claims, judge_statements(statements, claims), manifest, captions


@pytest.fixture(scope="module")
def content(inputs):
    return json.loads(json.dumps(report.collect(*inputs)))


def name_of(paper) -> str:
    """Return the name of a paper in the content."""
    return next(key for key, one in CONFIG.papers.items() if one.title == paper["title"])


def numbers(text: str) -> set[str]:
    return set(NUMBER.findall(text))


def plain(parts) -> str:
    """Return a text of which ``rich`` made parts, without marks."""
    return "".join(text if kind != "math" else f"${shown}$" for kind, text, shown in parts)


def unmarked(text: str) -> str:
    """Return a text without the marks of code and of emphasis, and with plain formulas between dollar signs."""
    text = MATH.sub(lambda formula: f"${to_plain(formula[0])}$", text)
    return text.replace("**", "").replace("`", "")


def leaves(value, path=""):
    """Return every text and number of the content, with its place; indices are not part of a place."""
    if isinstance(value, dict):
        return [leaf for key, one in value.items() for leaf in leaves(one, f"{path}.{key}".strip("."))]
    if isinstance(value, list) and value and isinstance(value[0], list) and isinstance(value[0][0], str):
        return [(path, plain(value))]
    return [leaf for one in value for leaf in leaves(one, path)] if isinstance(value, list) else [(path, value)]


def columns(rows, *names) -> set[str]:
    return {row[name] for row in rows for name in names}


def allowed_texts(claims, statements, manifest, captions) -> dict[str, set]:
    """Return, for each place of the report with a text, all texts that may be there, by the file that they are from."""
    papers, citation = CONFIG.papers.values(), yaml.safe_load(report.CITATION.read_text())
    discrepancies = {paragraph["text"] for section in load_discrepancies().values() for paragraph in section}
    figures = {
        # figures/manifest.csv
        "name": columns(manifest, "figure"),
        "file": {f"{row['paper']}/{row['figure']}.svg" for row in manifest},
        "fidelity": {row["fidelity"].capitalize() for row in manifest},
        # config/<paper>/: titles and captions
        "alt": {to_plain(label["title"]) for label in captions.values()},
        "caption": {caption(label)[1] for label in captions.values()},
    }
    # figures/statements.csv
    stated = {key: columns(statements, key) for key in ("where", "says", "verdict", "setting")}
    stated |= {
        "why": columns(statements, "explanation", "measured"),
        "figure": {row["primary"].partition("/")[0] for row in statements},
    }
    return {
        **{f"papers.{part}.{key}": texts for part in ("figures", "extensions") for key, texts in figures.items()},
        **{f"papers.{part}.{key}": texts for part in ("observations", "doubted") for key, texts in stated.items()},
        "papers.theorems.verdict": stated["verdict"],
        "verdicts.verdict": stated["verdict"],
        # figures/manifest.csv
        "scale": columns(manifest, "scale"),
        "papers.data": {row["data"].removeprefix("data: ") for row in manifest},
        "papers.fidelities.name": columns(manifest, "fidelity"),
        # config/<paper>/
        "papers.title": {paper.title for paper in papers},
        "papers.url": {f"https://arxiv.org/abs/{paper.arxiv}" for paper in papers},
        # docs/discrepancies.md
        "about_discrepancies": discrepancies,
        "papers.discrepancies.text": discrepancies,
        # CITATION.cff
        "author": {one["name"] for one in citation["authors"]},
        "papers.citation": {report.format_citation(one) for one in citation["references"]},
        # Texts of ours without a number
        "title": {report.TITLE},
        "papers.fidelities.meaning": {*FIDELITIES.values()},
    }


# Numbers of claims, figures, statements and items, and joined places; the tests below count or join them again.
COUNTED = {
    "statements", "verdicts.count", "papers.theorems.places",
    *(f"papers.{key}" for key in ("discrepancies.item", "figures.verdict", "extensions.verdict")),
    *(f"papers.fidelities.{key}" for key in ("figures", *COUNTS.values())),
}  # fmt: skip


def test_texts_and_numbers_have_sources(content, inputs):
    allowed = {place: {unmarked(text) for text in texts} for place, texts in allowed_texts(*inputs[1:]).items()}
    found = leaves(content)
    # A place that is not known is an error, too.
    assert {place for place, _ in found} == COUNTED | allowed.keys()
    assert [(place, text) for place, text in found if place not in COUNTED and text not in allowed[place]] == []
    assert len(numbers(" ".join(str(text) for _, text in found))) > 250
    own = allowed["title"] | allowed["papers.fidelities.meaning"]
    assert numbers(" ".join(own)) == set()


def test_formulas_have_the_numbers_of_their_plain_text(content):
    def formulas(value):
        if isinstance(value, list) and len(value) == 3 and value[0] == "math":
            return [value[1:]]
        children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
        return [one for child in children for one in formulas(child)]

    found = formulas(content)
    assert len(found) > 100
    for formula, shown in found:
        assert NUMBER.findall(formula) == NUMBER.findall(shown), formula


def without_numbers(value):
    """Return the content with letters in place of all digits; formulas become text."""
    if isinstance(value, dict):
        # Typst writes the numbers of a list's items itself.
        return {key: one if key == "item" else without_numbers(one) for key, one in value.items()}
    if isinstance(value, list):
        plain_part = ["text", value[2], ""] if value[:1] == ["math"] else value
        return [without_numbers(one) for one in plain_part]
    return re.sub(r"\d", "N", str(value))


def typed_numbers(template: str, content, folder) -> list[str]:
    """Return the numbers that the report prints without content: those typed or counted in the template."""
    typst = pytest.importorskip("typst", reason="Typst is in the extra dev")
    (folder / "figure.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg" width="9pt" height="9pt"></svg>')
    blank = without_numbers(content)
    for paper in blank["papers"]:
        for one in [*paper["figures"], *paper["extensions"]]:
            one["file"] = "figure.svg"
    (folder / "data.json").write_text(json.dumps(blank))
    # Headings are numbered; pages have no numbers in HTML.
    (folder / "report.typ").write_text(template.replace('#set heading(numbering: "1.1")', ""))
    page = typst.compile(folder / "report.typ", format="html", ignore_system_fonts=True).decode()
    body = re.sub(r"(?s)^.*?<body>|<[^>]*>|&#\w+;", " ", page)
    assert "What the paper says" in body
    return NUMBER.findall(body)


# Text of the template -> another one with a number.
TYPED = {
    "#data.statements of": "203 of",
    "#data.author": "#data.author, 2026",
    "[*hold*]": "[*hold, of 860*]",
    "#one.places.": '#("0." + "94").',
}


def test_template_prints_no_number_of_its_own(content, tmp_path):
    template = report.TEMPLATE.read_text()
    assert typed_numbers(template, content, tmp_path) == []
    for text, typed in TYPED.items():
        assert text in template
        assert typed_numbers(template.replace(text, typed), content, tmp_path) != [], typed


def test_discrepancies_are_those_of_the_page(content):
    page = (ROOT / "docs/discrepancies.md").read_text()
    for paper in content["papers"]:
        sections = {re.sub("[ -]", "_", one.lower()): one for one in page.split("\n## ")}
        (section,) = (text for title, text in sections.items() if title.startswith(name_of(paper)))
        items = [one["item"] for one in paper["discrepancies"] if one["item"]]
        assert items == [int(number) for number in re.findall(r"(?m)^(\d+)\.", section)]
        assert len(items) > 5
        printed = " ".join(plain(one["text"]) for one in paper["discrepancies"])
        expected = re.sub(r"(?m)^\d+\. ", "", section.partition("\n")[2])
        assert printed == unmarked(" ".join(expected.split()))
    about = [part for paragraph in content["about_discrepancies"] for part in paragraph]
    assert ["code", "docs/fidelity.md", ""] in about


def test_counts_are_those_of_claims_and_statements(content, inputs):
    counts = Counter(row["verdict"] for row in inputs[2] if row["kind"] != DEFINITION)
    assert {one["verdict"]: one["count"] for one in content["verdicts"]} == counts
    assert content["statements"] == counts.total() > 200
    for paper in content["papers"]:
        counts = Counter((row["fidelity"], row["verdict"]) for row in inputs[1] if row["paper"] == name_of(paper))
        printed = {(row["name"], verdict): row[key] for row in paper["fidelities"] for verdict, key in COUNTS.items()}
        assert +Counter(printed) == Counter({key: count for key, count in counts.items() if key[1] in COUNTS})


def test_figures_are_in_natural_order_and_panels_in_their_joint_figure(content):
    names = [one["name"] for one in content["papers"][-1]["figures"]]
    assert names[:3] == ["fig2", "fig3", "fig4"]
    assert names.index("fig9") + 1 == names.index("fig10")
    (paper,) = (one for one in content["papers"] if name_of(one) == "max_margin")
    names = [one["name"] for one in paper["figures"]]
    # No panel of fig1, fig3 or fig4; fig9a and fig9b have no joint figure.
    assert names == ["fig1", "fig2", "fig3", "fig4", "fig5", "fig6", "fig7", "fig8", "fig9a", "fig9b", "fig10"]


def test_verdicts_are_those_of_claims_and_statements(content, inputs):
    _, claims, statements, manifest, _ = inputs
    for paper in content["papers"]:
        name = name_of(paper)
        mine = [row for row in claims if row["paper"] == name]
        for figure in [*paper["figures"], *paper["extensions"]]:
            rows = [row for row in mine if row["figure"] == figure["name"]]
            assert figure["verdict"] == ClaimSummary.of(rows).text
        shown = Counter(row["fidelity"] for row in manifest if row["paper"] == name)
        assert {row["name"]: row["figures"] for row in paper["fidelities"]} == shown
        listed = [row for row in statements if row["paper"] == name]
        observations = [row["verdict"] for row in listed if row["kind"] == OBSERVATION]
        assert [one["verdict"] for one in paper["observations"]] == observations
        doubted = [(row["where"], row["verdict"]) for row in listed if row["verdict"] in DOUBTED]
        assert [(one["where"], one["verdict"]) for one in paper["doubted"]] == doubted
        theorems = {one["verdict"]: one["places"] for one in paper["theorems"]}
        for verdict in Outcome:
            places = [row["where"] for row in listed if row["kind"] == THEOREM and row["verdict"] == verdict]
            assert theorems.get(verdict, "") == "; ".join(places)


TYPST = {
    r"p^{\mathrm{mm}}": 'p^(upright("mm"))',
    r"|x|": 'class("normal", bar.v) x class("normal", bar.v)',
    r"\eta_Y / \eta_Z \geq 2": 'η_(Y) \\/ η_(Z) ≥ "2"',
    r"\bar{p}": "macron(p)",
    r"\frac{1}{2}": 'frac("1", "2")',
}


def test_formulas_are_written_for_typst_and_unknown_ones_refused():
    assert {formula: report.to_typst(formula) for formula in TYPST} == TYPST
    with pytest.raises(ValueError, match="has no notation in Typst"):
        report.to_typst(r"\begin{matrix} 1 & 2 \end{matrix}")
    parts = [("text", "a ", ""), ("math", "x", "x"), ("text", ", ", ""), ("code", "b_c", ""), ("text", ".", "")]
    assert report.rich("a $x$, `b_c`.") == parts


def test_metadata_has_a_block_for_each_paper():
    blocks = yaml.safe_load(report.metadata(CONFIG))["replication"]
    assert [block["url"].rpartition("/")[2] for block in blocks] == [paper.arxiv for paper in CONFIG.papers.values()]
    assert all(paper.title in block["cite"] for block, paper in zip(blocks, CONFIG.papers.values(), strict=True))


def test_report_is_archival_pdf(content, tmp_path):
    pytest.importorskip("typst", reason="Typst is in the extra dev")
    for paper in content["papers"]:
        for one in [*paper["figures"], *paper["extensions"]]:
            one["file"] = "figure.svg"
    figure = plt.figure(figsize=(2, 1))
    figure.savefig(tmp_path / "figure.pdf")
    figure.set_size_inches(2, 1.5)
    figure.savefig(tmp_path / "figure.svg")
    plt.close(figure)
    assert 'height="72.0pt" viewBox="0 36.0 144.0 72.0"' in report.print_picture(tmp_path / "figure.svg")
    pdf = report.typeset(content, tmp_path)
    assert pdf.startswith(b"%PDF-")
    part, level = report.PDF_STANDARD.removeprefix("a-")
    assert f"<pdfaid:part>{part}</pdfaid:part><pdfaid:conformance>{level.upper()}" in pdf.decode("latin-1")
    assert report.typeset(content, tmp_path) == pdf

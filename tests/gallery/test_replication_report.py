"""The replication report: where its numbers come from, and that Typst sets it."""

import json
import re
from collections import Counter

import matplotlib.pyplot as plt
import pytest
import yaml

from attention_dynamics.claims.claim_summary import ClaimSummary
from attention_dynamics.gallery.replication_report import (
    CITATION,
    PDF_STANDARD,
    TEMPLATE,
    collect,
    metadata,
    print_picture,
    rich,
    to_typst,
    typeset,
)
from attention_dynamics.gallery.statements import load_statements
from attention_dynamics.pipeline.jobs import Jobs
from helpers.published_config import published_config

CONFIG = published_config()
VERDICTS = ("held", "held", "failed", "reported", "not_judged")
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
                })  # fmt: skip
    return rows


@pytest.fixture(scope="module")
def inputs():
    jobs = Jobs(CONFIG)
    claims = ledger()
    return CONFIG, claims, jobs.get("manifest").spec["figures"], jobs.get("captions").spec["figures"]


@pytest.fixture(scope="module")
def content(inputs):
    return json.loads(json.dumps(collect(*inputs)))


def numbers(text: str) -> set[str]:
    return set(NUMBER.findall(text))


def plain(parts) -> str:
    """Return a text without marks, as it was before it was split."""
    return "".join(text if kind != "math" else f"${shown}$" for kind, text, shown in parts)


def test_numbers_have_sources(content, inputs):
    _, claims, manifest, captions = inputs
    explanations = [
        claim.explanation for paper in CONFIG.papers.values() for one in paper.claims.values() for claim in one
    ]
    titles = [[paper.title, paper.arxiv] for paper in CONFIG.papers.values()]
    sources = [claims, manifest, captions, explanations, load_statements(), titles, CITATION.read_text()]
    known = numbers(json.dumps(sources, ensure_ascii=False))
    # Counts are computed from the verdicts; the other tests check them.
    for paper in content["papers"]:
        for one in [*paper["fidelities"], *paper["bases"]]:
            one |= dict.fromkeys(("figures", "held", "failed", "reported"), "")
        for figure in paper["figures"]:
            figure["verdict"] = ""
        for row in paper["statements"]:
            row["checks"] = [part for part in row["checks"] if part[0] != "text"]
        paper["covered"] = ""
    printed = json.dumps(content | dict.fromkeys(("judged", "held", "reported"), ""), ensure_ascii=False)
    assert len(numbers(printed)) > 500
    assert numbers(printed) - known == set()


@pytest.mark.parametrize(("part", "column"), [("fidelities", "fidelity"), ("bases", "basis")])
def test_counts_are_those_of_claims(inputs, part, column):
    _, claims, _, _ = inputs
    for paper in collect(*inputs)["papers"]:
        name = next(key for key, one in CONFIG.papers.items() if one.title == paper["title"])
        expected = Counter((row[column], row["verdict"]) for row in claims if row["paper"] == name)
        for row in paper[part]:
            for verdict in ("held", "failed", "reported"):
                assert row[verdict] == expected[row["name"], verdict]
        assert sum(row["held"] for row in paper[part]) == sum(
            count for (_, verdict), count in expected.items() if verdict == "held"
        )


def test_verdicts_of_figures_and_statements_are_those_of_claims(inputs):
    _, claims, _, _ = inputs
    (paper,) = (one for one in collect(*inputs)["papers"] if one["title"] == CONFIG.papers["max_margin"].title)
    figure = next(one for one in paper["figures"] if one["name"] == "fig4a")
    mine = [row for row in claims if (row["paper"], row["figure"]) == ("max_margin", "fig4a")]
    assert figure["verdict"] == ClaimSummary.of(mine).text
    covered = [row for row in load_statements() if row["paper"] == "max_margin" and row["checked_by"]]
    assert paper["covered"] == len(covered)
    (lemma,) = (row for row in paper["statements"] if row["number"] == "Lemma 1")
    names = {"mapping_transposed", "query_on_the_left", "rank_one[transposed]", "mapping"}
    verdicts = [
        row["verdict"]
        for row in claims
        if row["figure"] == "ext_lemma1" and (row["claim"] in names or row["claim"].partition("[")[0] in names)
    ]
    held, failed = verdicts.count("held"), verdicts.count("failed")
    assert plain(lemma["checks"]) == f"{held} of {held + failed} claims hold; 1 test"


def test_failures_have_explanations(content, inputs):
    failed = [row for row in inputs[1] if row["verdict"] == "failed"]
    listed = [one for paper in content["papers"] for one in paper["failures"]]
    assert len(listed) == len(failed) > 100
    assert {one["measured"] for one in listed} == {row["measured"] for row in failed}
    claim = next(claim for claim in CONFIG.papers["scan_and_snap"].claims["fig6"] if claim.explanation)
    known = [plain(one["explanation"]) for one in listed]
    assert all(known)
    assert set(known) - {"Not explained yet."} <= {
        claim.explanation.replace("`", "")
        for paper in CONFIG.papers.values()
        for one in paper.claims.values()
        for claim in one
    }
    assert claim.explanation


def test_template_has_no_number_of_a_result():
    text = "\n".join(line for line in TEMPLATE.read_text().split("\n") if not line.startswith(("//", "#set", "#show")))
    text = re.sub(r"\d+(?:\.\d+)?(?:pt|cm|em|fr|%)|depth: 1|data.\w+\(0\)|== 0|> 0", "", text)
    assert re.findall(r"\d", text) == []


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (r"p^{\mathrm{mm}}", 'p^(upright("m") upright("m"))'),
        (r"\eta_Y / \eta_Z \geq 2", 'η_(Y) \\/ η_(Z) ≥ "2"'),
        (r"\bar{p}", "macron(p)"),
        (r"\frac{1}{2}", 'frac("1", "2")'),
    ],
)
def test_formulas_are_written_for_typst(formula, expected):
    assert to_typst(formula) == expected


def test_unknown_formula_is_refused():
    with pytest.raises(ValueError, match="has no notation in Typst"):
        to_typst(r"\begin{matrix} 1 & 2 \end{matrix}")


def test_texts_are_split_into_parts():
    parts = [("text", "a ", ""), ("math", "x", "x"), ("text", ", ", ""), ("code", "b_c", ""), ("text", ".", "")]
    assert rich("a $x$, `b_c`.") == parts


def test_metadata_has_a_block_for_each_paper():
    blocks = yaml.safe_load(metadata(CONFIG))["replication"]
    assert [block["url"].rpartition("/")[2] for block in blocks] == [paper.arxiv for paper in CONFIG.papers.values()]
    assert all(paper.title in block["cite"] for block, paper in zip(blocks, CONFIG.papers.values(), strict=True))


def test_report_is_archival_pdf(content, tmp_path):
    pytest.importorskip("typst", reason="Typst is in the extra dev")
    for paper in content["papers"]:
        for one in paper["figures"]:
            one["file"] = "figure.svg"
    figure = plt.figure(figsize=(2, 1))
    figure.savefig(tmp_path / "figure.pdf")
    figure.set_size_inches(2, 1.5)
    figure.savefig(tmp_path / "figure.svg")
    plt.close(figure)
    assert 'height="72.0pt" viewBox="0 36.0 144.0 72.0"' in print_picture(tmp_path / "figure.svg")
    pdf = typeset(content, tmp_path)
    assert pdf.startswith(b"%PDF-")
    part, level = PDF_STANDARD.removeprefix("a-")
    assert f"<pdfaid:part>{part}</pdfaid:part><pdfaid:conformance>{level.upper()}" in pdf.decode("latin-1")
    assert typeset(content, tmp_path) == pdf

"""The README's results."""

import pytest

from attention_dynamics.claims.statements import load_statements
from attention_dynamics.gallery.preview import BEGIN, END, insert_results, results
from attention_dynamics.markdown_table import plain_text
from conftest import ROOT
from helpers.published_config import published_config

README = (ROOT / "README.md").read_text()
TABLES = README.partition(BEGIN)[2].partition(END)[0]


def statement(verdict, kind="observation", paper="a", **texts):
    """Return a row of figures/statements.csv."""
    row = {"paper": paper, "id": "x", "where": "Fig 1", "kind": kind, "says": "It grows.", "verdict": verdict,
           "measured": "fails: -1, expected >= 0", "explanation": "", "primary": "fig1/grows"}  # fmt: skip
    return row | texts


def test_readme_counts_every_statement_that_is_judged_once():
    rows = [line.split("|")[1:-1] for line in TABLES.splitlines() if line.startswith("| `")]
    for paper in published_config().papers:
        kinds = [one.kind for one in load_statements(paper) if one.known_from != "summary"]
        shown = [sum(int(cell.strip() or 0) for cell in counts) for name, *counts in rows if name == f" `{paper}` "]
        assert shown == [kinds.count("observation"), kinds.count("theorem")]


def test_results_count_statements_by_verdict_and_name_those_that_do_not_hold():
    rows = [
        statement("supported"),
        statement("supported"),
        statement("contradicted"),
        statement("partly", explanation="It falls at d = 2."),
        statement("undecided (not confirmed)"),
        statement("stand-in only", paper="b"),
        statement("no counterexample", "theorem"),
        statement("counterexample", "theorem", where="Lemma 2", says="It holds.", primary="ext_a/holds"),
        statement("not judged", "definition"),
    ]
    assert results(rows).splitlines() == [
        "| observations | supported | partly | contradicted | undecided | stand-in or real data only |",
        "|---|---|---|---|---|---|",
        "| `a` | 2 | 1 | 1 | 1 |  |",
        "| `b` |  |  |  |  | 1 |",
        "",
        "| theorems | no counterexample | counterexample |",
        "|---|---|---|",
        "| `a` | 1 | 1 |",
        "| `b` |  |  |",
        "",
        "Not, or not wholly, as the papers say, or only in one reading:",
        "",
        "- [`a`, Fig 1](docs/figures.md#afig1): It grows. **Contradicted.** fails: -1, expected >= 0.",
        "- [`a`, Fig 1](docs/figures.md#afig1): It grows. **Partly.** It falls at d = 2.",
        "- [`a`, Fig 1](docs/figures.md#afig1): It grows. **Undecided (not confirmed).** fails: -1, expected >= 0.",
        "- [`a`, Lemma 2](docs/figures.md#aext_a): It holds. **Counterexample.** fails: -1, expected >= 0.",
    ]
    assert "Not, or" not in results(rows[:2])


def test_no_title_asserts_a_statement_that_is_in_doubt():
    for paper in published_config().papers.values():
        statements = {one.id: one for one in load_statements(paper.name)}
        for name, figure in paper.figures.items():
            for id in figure.asserts:
                assert id in statements, f"{paper.name}/{name}: asserts {id}, which is no statement of the paper"
                one = statements[id]
                doubted = f"[`{paper.name}`, {one.where}](" in TABLES and plain_text(one.says) in TABLES
                assert not doubted, f"{paper.name}/{name}: the title asserts {id}, which the README lists as in doubt"


def test_results_replace_old_ones():
    once = insert_results(README, "first\n")
    assert insert_results(once, "second\n") == once.replace("first\n", "second\n")
    with pytest.raises(ValueError, match="has no"):
        insert_results("nothing here", "table")

"""The page of the papers' statements."""

import re

from attention_dynamics.gallery.statements import page

from attention_dynamics.claims.statements import KINDS, checks, load_statements, share_with_claims
from conftest import ROOT
from helpers.published_config import published_config

CONFIG = published_config()
ROWS = load_statements()


def find_dangling(row):
    """Yield messages about a row without check and reason, or with a figure, claim or test that does not exist."""
    content = CONFIG.papers[row["paper"]]
    if not checks(row) and not row["reason"]:
        yield f"{row['number']}: neither a check nor a reason"
    for one in checks(row):
        figure, _, claim = one.partition("/")
        if one.startswith("tests/"):
            file, _, test = one.partition("::")
            text = (ROOT / file).read_text() if (ROOT / file).exists() else ""
            if not re.search(rf"^def {test}\b", text, re.MULTILINE):
                yield f"{row['number']}: test {one} does not exist"
        elif figure not in content.figures:
            yield f"{row['number']}: figure {figure} does not exist"
        elif claim and not any(claim in (id.name, id.name.partition("[")[0]) for id in content.claims[figure]):
            yield f"{row['number']}: claim {one} does not exist"


def test_statements_have_existing_check_or_reason():
    assert [message for row in ROWS for message in find_dangling(row)] == []


def test_ninety_percent_of_theorems_and_sentences_have_figure_or_claim():
    for paper in CONFIG.papers:
        shown, counted = share_with_claims(row for row in ROWS if row["paper"] == paper)
        assert counted >= 20
        assert shown >= 0.9 * counted, paper


def test_kinds_of_statements_match_their_numbers():
    numbered = re.compile(r"(Theorem|Lemma|Proposition|Corollary)\b")
    for row in ROWS:
        assert row["kind"] in KINDS
        assert row["kind"] == "theorem" or not numbered.match(row["number"])


def test_share_leaves_out_tests_definitions_and_unknown_content():
    def row(kind, checked_by, reason=""):
        return {"kind": kind, "checked_by": checked_by, "reason": reason}

    rows = [row("theorem", "fig1a"), row("theorem", "tests/x.py::y"), row("sentence", "", "not measured")]
    ignored = [row("other", "fig1a"), row("theorem", "", "its formula is lost in the text at hand")]
    assert share_with_claims(rows + ignored) == (1, 3)


def test_page_lists_every_statement_with_its_checks():
    lines = page(CONFIG, ROWS).splitlines()
    assert sum(line.startswith("| ") for line in lines) == len(ROWS) + len(CONFIG.papers)
    for row in ROWS:
        assert any(row["number"] in line and all(f"`{one}`" in line for one in checks(row)) for line in lines), row


DANGLING = {
    "": "neither a check nor a reason",
    "fig99": "figure fig99 does not exist",
    "fig1a/nothing": "claim fig1a/nothing does not exist",
    "tests/test_nothing.py::test_it": "test tests/test_nothing.py::test_it does not exist",
    "tests/gallery/test_statements.py::test_nothing": "does not exist",
}


def test_dangling_check_is_found_and_others_are_accepted():
    row = {"paper": "max_margin", "number": "1", "statement": "x", "reason": ""}
    for checked_by, message in DANGLING.items():
        (found,) = find_dangling(row | {"checked_by": checked_by})
        assert message in found
    own = f"tests/gallery/test_statements.py::{test_dangling_check_is_found_and_others_are_accepted.__name__}"
    assert list(find_dangling(row | {"checked_by": f"fig1a; fig1a/increases; {own}"})) == []

"""The page of the papers' statements."""

import re

import pytest

from attention_dynamics.config.load import load_config
from attention_dynamics.gallery.statements import COMMAND, FILE, checks, load_statements, page
from conftest import ROOT

CONFIG = load_config(ROOT / "config", {})
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


# Content that nobody who has only our texts can know, and sentences that state nothing.
UNKNOWN = (
    "not at hand",
    "not known",
    "lost in the text",
    "a definition",
    "without a statement",
    "outlook",
    "future work",
)


def test_ninety_percent_of_known_statements_have_check():
    known = [row for row in ROWS if checks(row) or not any(words in row["reason"] for words in UNKNOWN)]
    assert len(known) > 100
    assert sum(bool(checks(row)) for row in known) >= 0.9 * len(known)


def test_page_is_current():
    assert FILE.read_text() == page(CONFIG, ROWS), f"renew it: {COMMAND}"


@pytest.mark.parametrize(
    ("checked_by", "message"),
    [
        ("", "neither a check nor a reason"),
        ("fig99", "figure fig99 does not exist"),
        ("fig1a/nothing", "claim fig1a/nothing does not exist"),
        ("tests/test_nothing.py::test_it", "test tests/test_nothing.py::test_it does not exist"),
        ("tests/gallery/test_statements.py::test_nothing", "does not exist"),
    ],
)
def test_dangling_check_is_found(checked_by, message):
    row = {"paper": "max_margin", "number": "1", "statement": "x", "checked_by": checked_by, "reason": ""}
    (found,) = find_dangling(row)
    assert message in found


def test_checks_that_exist_are_accepted():
    checked_by = "fig1a; fig1a/increases; tests/gallery/test_statements.py::test_page_is_current"
    row = {"paper": "max_margin", "number": "1", "statement": "x", "checked_by": checked_by, "reason": ""}
    assert list(find_dangling(row)) == []

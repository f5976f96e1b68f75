"""The page of the papers' statements."""

import pytest

from attention_dynamics.config.load import load_config
from attention_dynamics.gallery.statements import COMMAND, FILE, checks, dangling, load_statements, page
from conftest import ROOT

CONFIG = load_config(ROOT / "config", {})
ROWS = load_statements()


def test_every_statement_has_a_check_that_exists_or_a_reason():
    assert list(dangling(CONFIG, ROWS)) == []


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


def test_nine_of_ten_statements_of_known_content_have_a_check():
    known = [row for row in ROWS if checks(row) or not any(words in row["reason"] for words in UNKNOWN)]
    assert len(known) > 100
    assert sum(bool(checks(row)) for row in known) >= 0.9 * len(known)


def test_the_page_is_current():
    assert FILE.read_text() == page(CONFIG, ROWS), f"renew it: {COMMAND}"


@pytest.mark.parametrize(
    ("checked_by", "message"),
    [
        ("", "neither a check nor a reason"),
        ("fig99", "there is no figure fig99"),
        ("fig1a/nothing", "there is no claim fig1a/nothing"),
        ("tests/test_nothing.py::test_it", "there is no test tests/test_nothing.py::test_it"),
        ("tests/test_statements.py::test_nothing", "there is no test"),
    ],
)
def test_a_dangling_check_is_found(checked_by, message):
    row = {"paper": "max_margin", "number": "1", "statement": "x", "checked_by": checked_by, "reason": ""}
    (found,) = dangling(CONFIG, [row])
    assert message in found


def test_checks_that_exist_are_accepted():
    checked_by = "fig1a; fig1a/increases; tests/test_statements.py::test_the_page_is_current"
    row = {"paper": "max_margin", "number": "1", "statement": "x", "checked_by": checked_by, "reason": ""}
    assert list(dangling(CONFIG, [row])) == []

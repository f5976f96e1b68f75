"""The page of the papers' statements."""

import pytest

from attention_dynamics.config.load import load_config
from attention_dynamics.gallery.statements import COMMAND, FILE, checks, find_dangling, load_statements, page
from conftest import ROOT

CONFIG = load_config(ROOT / "config", {})
ROWS = load_statements()


def test_statements_have_existing_check_or_reason():
    assert list(find_dangling(CONFIG, ROWS)) == []


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
    (found,) = find_dangling(CONFIG, [row])
    assert message in found


def test_checks_that_exist_are_accepted():
    checked_by = "fig1a; fig1a/increases; tests/gallery/test_statements.py::test_page_is_current"
    row = {"paper": "max_margin", "number": "1", "statement": "x", "checked_by": checked_by, "reason": ""}
    assert list(find_dangling(CONFIG, [row])) == []

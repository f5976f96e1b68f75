"""Statements of the papers: their files, and verdicts that are fair."""

import csv
from dataclasses import replace

import numpy as np
import pytest

from attention_dynamics.claims import statements
from attention_dynamics.claims.claim import AUTHORS_CODE, PAPER, Claim
from attention_dynamics.claims.expectation import at_least, at_most, check, equals
from attention_dynamics.claims.statement_tables import count_tables, judge_statements, to_markdown
from attention_dynamics.claims.statements import COLUMNS, Outcome, Statement, check_claims, decide, load_statements
from attention_dynamics.claims.verdict import Verdict
from attention_dynamics.registry import PACKAGE
from attention_dynamics.series.confidence import Sample, estimate_mean
from conftest import ROOT
from helpers.published_config import published_config

PAPERS = sorted(file.parent.name for file in (PACKAGE / "papers").glob("*/statements.csv"))
OBSERVED = Statement(
    paper="max_margin", id="quicker", where="Fig 4, caption", kind="observation", says="It is quicker.", quote="",
    known_from="text", primary="fig4/quicker", tests="", confirmed_by="tests/independent/max_margin.py, 100 seeds",
    other_readings="fig4/sooner: 'at some point'", reason="",
)  # fmt: skip
THEOREM = replace(OBSERVED, id="theorem-1", kind="theorem", primary="", other_readings="none: a formula")


def row(verdict, claim="quicker", setting="paper", statement="quicker", cases=None):
    """Return a row of the ledger."""
    return {
        "paper": "max_margin", "figure": "fig4", "claim": claim, "statement": statement, "verdict": verdict,
        "setting": setting, "cases": cases or {}, "measured": "1", "expected": "<= 2", "decided_by": "",
        "explanation": f"{claim} {verdict}.",
    }  # fmt: skip


@pytest.fixture(scope="module", params=PAPERS)
def paper(request) -> str:
    return request.param


@pytest.fixture(scope="module")
def claims(paper) -> dict[str, Claim]:
    """Claims of a paper by figure and name."""
    figures = published_config().papers[paper].claims
    return {f"{figure}/{one.name}": one for figure, several in figures.items() for one in several}


def test_statements_and_claims_name_each_other(paper, claims):
    assert list(check_claims(load_statements(paper), claims)) == []
    # Every claim that quotes the paper serves a statement.
    assert [name for name, one in claims.items() if one.basis == PAPER and not one.statement] == []


def test_tests_and_records_of_statements_exist(paper):
    for one in load_statements(paper):
        for test in filter(None, (part.strip() for part in one.tests.split(";"))):
            file, _, function = test.partition("::")
            assert f"def {function}(" in (ROOT / file).read_text(), f"{one.id}: {test}"
        if one.confirmed_by:
            assert (ROOT / one.confirmed_by.split(",")[0]).exists(), one.id


def test_paper_without_file_has_no_statements():
    assert load_statements("my_paper") == []


# Changes of a row, and what is said of it.
WRONG_ROWS = [
    ({"kind": "sentence"}, "statements.csv:2: kind .sentence. is not one of theorem, observation, definition"),
    ({"known_from": "memory"}, "statements.csv:2: known_from .memory. is not one of"),
    ({"says": ""}, "statements.csv:2: says is empty"),
    ({"quote": "word " * 26}, "statements.csv:2: the quote has 26 words"),
]


def test_wrong_row_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(statements, "PACKAGE", tmp_path)
    file = tmp_path / "papers/max_margin/statements.csv"
    file.parent.mkdir(parents=True)
    for changes, message in WRONG_ROWS:
        with file.open("w", newline="") as lines:
            writer = csv.DictWriter(lines, COLUMNS)
            writer.writeheader()
            writer.writerow({name: getattr(OBSERVED, name) for name in COLUMNS} | changes)
        with pytest.raises(ValueError, match=message):
            load_statements("max_margin")


def claim(statement, basis=AUTHORS_CODE):
    return Claim(figure="fig4", name="quicker", statement=statement, says="", basis=basis, source="", function=check)


def test_dangling_and_unused_ids_are_named():
    unread = replace(OBSERVED, other_readings="", primary="")
    for statement, claims, message in (
        (OBSERVED, {}, "claim 'fig4/quicker' is not"),
        (OBSERVED, {"fig4/quicker": claim("other"), "fig4/sooner": claim("quicker")}, "statement other"),
        (replace(OBSERVED, known_from="summary"), {"fig4/quicker": claim("quicker", PAPER)}, "summary by others"),
        (unread, {"fig4/quicker": claim("quicker")}, "none is primary"),
        (unread, {}, "has neither a claim nor a test"),
    ):
        assert any(message in one for one in check_claims([statement], claims))


def test_page_links_names_of_claims_that_there_are():
    (judged,) = judge_statements([replace(OBSERVED, tests="tests/x.py::y")], [row("holds")])
    line = to_markdown([judged], {"max_margin": "Max-margin"}).splitlines()[-1]
    evidence = line.split(" | ")[-1].removesuffix(" |")
    quicker = "[fig4/quicker](max_margin/fig4.html#claim-quicker)"
    assert evidence == f"{quicker}; fig4/sooner: 'at some point'; tests/x.py::y"
    (both,) = judge_statements([OBSERVED], [row("holds"), row("holds", "sooner")])
    assert f"{quicker}; {quicker.replace('quicker', 'sooner')}: 'at" in to_markdown(
        [both], {"max_margin": "Max-margin"}
    )


@pytest.mark.parametrize(
    ("statement", "rows", "outcome"),
    [
        (OBSERVED, [row("holds")], Outcome.SUPPORTED),
        (OBSERVED, [row("fails"), row("fails", "sooner")], Outcome.CONTRADICTED),
        (OBSERVED, [row("fails"), row("holds", "sooner")], Outcome.READINGS),
        (OBSERVED, [row("holds"), row("fails", "sooner")], Outcome.READINGS),
        (OBSERVED, [row("fails"), row("undecided", "sooner")], Outcome.UNDECIDED),
        (OBSERVED, [row("undecided"), row("fails", "sooner")], Outcome.UNDECIDED),
        (OBSERVED, [row("compatible")], Outcome.UNDECIDED),
        (OBSERVED, [row("reported")], Outcome.UNDECIDED),
        (OBSERVED, [row("holds", cases={"a": "holds", "b": "undecided"})], Outcome.SUPPORTED),
        (OBSERVED, [row("holds", cases={"a": "holds", "b": "fails"})], Outcome.PARTLY),
        # Not the paper's setting: never a verdict on the paper.
        (OBSERVED, [row("fails", setting="stand-in"), row("fails", "sooner")], Outcome.STAND_IN),
        (OBSERVED, [row("fails", setting="real data")], Outcome.REAL_DATA),
        (OBSERVED, [row("fails", setting="")], Outcome.NOT_TESTED),
        (OBSERVED, [row("not tested")], Outcome.NOT_TESTED),
        (replace(OBSERVED, known_from="summary"), [row("fails"), row("fails", "sooner")], Outcome.NOT_JUDGED),
        (replace(OBSERVED, known_from="reconstructed"), [row("fails")], Outcome.DISAGREES),
        (replace(OBSERVED, known_from="reconstructed"), [row("holds")], Outcome.AGREES),
        # Nobody else has confirmed it, or no other reading was considered.
        (replace(OBSERVED, confirmed_by=""), [row("fails"), row("fails", "sooner")], Outcome.NOT_CONFIRMED),
        (replace(OBSERVED, other_readings=""), [row("fails")], Outcome.NOT_CONFIRMED),
        (replace(OBSERVED, confirmed_by=""), [row("holds", cases={"a": "holds", "b": "fails"})], Outcome.NOT_CONFIRMED),
        (replace(OBSERVED, kind="definition"), [row("holds")], Outcome.NOT_JUDGED),
        (replace(OBSERVED, tests="tests/claims/test_statements.py::test_x"), [], Outcome.TEST),
    ],
)  # fmt: skip
def test_observation_is_decided_fairly(statement, rows, outcome):
    assert decide(statement, rows).verdict == outcome


@pytest.mark.parametrize(
    ("changes", "verdicts", "setting", "outcome"),
    [
        ({}, ["holds", "holds"], "declared", Outcome.NO_COUNTEREXAMPLE),
        ({}, ["holds", "fails"], "paper", Outcome.COUNTEREXAMPLE),
        ({"other_readings": "fig4/claim0: up to a constant"}, ["holds", "fails"], "paper", Outcome.READINGS),
        ({"other_readings": "fig4/claim1: up to a constant"}, ["holds", "fails"], "paper", Outcome.COUNTEREXAMPLE),
        ({"confirmed_by": ""}, ["holds", "fails"], "paper", Outcome.NOT_CONFIRMED),
        ({"other_readings": ""}, ["fails"], "paper", Outcome.NOT_CONFIRMED),
        ({"known_from": "reconstructed"}, ["fails"], "paper", Outcome.DISAGREES),
        ({}, ["undecided"], "paper", Outcome.UNDECIDED),
        ({"known_from": "reconstructed"}, ["undecided"], "paper", Outcome.UNDECIDED),
        ({"known_from": "reconstructed"}, ["reported"], "paper", Outcome.NOT_TESTED),
        ({}, ["fails"], "stand-in", Outcome.STAND_IN),
        ({}, [], "paper", Outcome.NOT_TESTED),
    ],
)
def test_theorem_is_decided_fairly(changes, verdicts, setting, outcome):
    rows = [row(verdict, f"claim{k}", setting, "theorem-1") for k, verdict in enumerate(verdicts)]
    assert decide(replace(THEOREM, **changes), rows).verdict == outcome


def sample(values):
    return Sample.of(np.asarray(values, dtype=float), "seed")


def test_noise_is_part_of_verdict():
    mean = estimate_mean(sample([1.0, 2.0, 3.0]))
    low, high = mean.low, mean.high
    for expected, verdict in (
        (at_least(low - 0.01), Verdict.HOLDS),
        (at_least(low + 0.01), Verdict.UNDECIDED),
        (at_least(high + 0.01), Verdict.FAILS),
        (at_most(high - 0.01), Verdict.UNDECIDED),
        (equals(2.5), Verdict.COMPATIBLE),
        (equals(high + 0.01), Verdict.FAILS),
    ):
        assert check(mean, expected).verdict() == verdict
    # One unit has no interval.
    assert check(estimate_mean(sample([5.0])), at_least(0)).verdict() == Verdict.REPORTED


def test_cases_of_one_sentence_are_corrected_for_their_number():
    # One of sixteen cells is beyond its own 95 % interval, but not beyond Holm's.
    spread = np.array([-1.0, 0.0, 1.0])
    cells = {f"{k}": estimate_mean(sample(5 + spread)) for k in range(15)} | {"odd": estimate_mean(sample(-3 + spread))}
    alone = check(cells["odd"], at_least(0))
    assert alone.verdict() == Verdict.FAILS
    whole = check(estimate_mean(sample(4 + spread)), at_least(0), cells)
    assert whole.case_verdicts()["odd"] == Verdict.UNDECIDED
    assert list(whole.case_verdicts().values()).count(Verdict.HOLDS) == 15
    # Far beyond, it fails.
    cells["odd"] = estimate_mean(sample(-30 + spread))
    assert check(estimate_mean(sample(4 + spread)), at_least(0), cells).case_verdicts()["odd"] == Verdict.FAILS


def test_records_on_real_data_stand_beside_verdict():
    here = [row("fails", setting="stand-in")]
    notes = ("workstation scale, recorded 2026-01-31", "paper scale, recorded 2026-02-28")
    verdicts = zip(("holds", "fails"), notes, strict=True)
    recorded = [row(verdict, setting="real data") | {"note": note} for verdict, note in verdicts]
    recorded.append(row("undecided", "sooner", "real data") | {"note": notes[0]})
    (judged,) = judge_statements([OBSERVED], here, recorded)
    assert judged["verdict"] == Outcome.STAND_IN_AND_REAL_DATA
    first, second = "holds: 1, expected <= 2; sooner undecided", "fails: 1, expected <= 2"
    assert judged["real_data"] == f"{first} ({notes[0]}); {second} ({notes[1]})"


def test_records_say_nothing_about_other_statements():
    for statement, recorded in (
        (OBSERVED, []),
        # Not the primary claim, another setting, another paper, another statement, not tested, and a theorem.
        (OBSERVED, [row("fails", "sooner", "real data")]),
        (OBSERVED, [row("fails", setting="")]),
        (OBSERVED, [row("fails", setting="real data") | {"paper": "fast_rates"}]),
        (OBSERVED, [row("fails", setting="real data", statement="later")]),
        (OBSERVED, [row("not tested", setting="real data")]),
        (THEOREM, [row("fails", "claim", "real data", "theorem-1")]),
    ):
        (judged,) = judge_statements([statement], [], [one | {"note": "recorded"} for one in recorded])
        assert judged["real_data"] == ""


def test_sentence_counts_once_and_explanations_are_those_of_what_fails():
    rows = [row("holds", cases={f"{k}": "holds" for k in range(16)}), row("holds", "sooner")]
    judged = judge_statements([OBSERVED], rows)
    assert "| `max_margin` | 1 |" in count_tables(judged)
    assert judged[0]["explanation"] == ""
    rows = [row("holds", cases={"a": "holds", "b": "fails"}), row("fails", "sooner"), row("undecided", "later")]
    assert judge_statements([OBSERVED], rows)[0]["explanation"] == "quicker holds. sooner fails."

"""Series, statistics, expectations, the decorator, verdicts, the ledger and the manifest."""

import csv
import io
import math
import re
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from attention_dynamics.claims import ledger
from attention_dynamics.claims.certificates import read_certificates, summarize
from attention_dynamics.claims.claim import BASES, CHOSEN, PAPER, claim, claims_in
from attention_dynamics.claims.claim_summary import format_summary
from attention_dynamics.claims.expectation import REPORTED, at_least, at_most, check, equals, format_numbers, near
from attention_dynamics.claims.judge import judge
from attention_dynamics.claims.manifest import COLUMNS, build_manifest, verify_manifest
from attention_dynamics.digests import hash_files
from attention_dynamics.papers.max_margin import fig10_claims
from attention_dynamics.problems.scored_tokens import ScoredTokens
from attention_dynamics.run import Run, Runs
from attention_dynamics.series import statistics as stats
from attention_dynamics.series.published import published
from attention_dynamics.series.series import Series
from attention_dynamics.store import DamagedFile
from helpers.refusals import assert_refused, refusal

STEPS = np.array([0, 10, 20, 30, 40])
# Two trajectories: one rises evenly, the other falls, rises and falls again.
VALUES = np.array([[0.0, 5.0], [1.0, 2.0], [2.0, 4.0], [3.0, 8.0], [4.0, 7.0]])


def series(values=VALUES[:, None], settings=None) -> Series:
    """A series of one problem with two starts, unless other values (records, problems, starts, ...) are given."""
    return Series.of(STEPS, np.asarray(values), settings or {})


BOTH = series()


def verdict(measured, expected) -> str:
    return check(measured, expected).verdict()


def log_over_log_log(step):
    return np.log(step) / np.log(np.log(step))


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (lambda: BOTH.at(30), [3, 8]),
        (lambda: stats.table(BOTH, [40, 0]), [4, 7, 0, 5]),
        (lambda: stats.smallest(BOTH.during(10, 40)), [1, 2]),
        (lambda: stats.smallest(BOTH.during(20, 20)), [2, 4]),
        (lambda: stats.largest(BOTH.during(0, 20)), [2, 5]),
        (lambda: stats.largest(BOTH.during(1, 25)), [2, 4]),
        (lambda: stats.smallest_increase(BOTH), [1, -3]),
        (lambda: stats.smallest_increase(BOTH.during(10, 30)), [1, 2]),
        (lambda: stats.largest_increase(BOTH), [1, 4]),
        (lambda: stats.largest_increase(BOTH.during(30, 40)), [1, -1]),
        (lambda: stats.change(BOTH, 0, 40), [4, 2]),
        (lambda: stats.change(BOTH, 20, 40) / stats.change(BOTH, 0, 10), [2, -1]),
        (lambda: stats.slope(BOTH), [0.1, 0.1]),
        (lambda: stats.slope(BOTH.during(10, 30)), [0.1, 0.3]),
        (lambda: stats.slope(BOTH.during(10, 20), time="log"), [1 / np.log(2), 2 / np.log(2)]),
        (lambda: stats.slope(BOTH.during(10, 20).log(), time="log"), [1, 1]),
        (lambda: stats.slope(BOTH.during(10, 20), time="log_log"), np.array([1, 2]) / np.log(np.log(20) / np.log(10))),
        (lambda: stats.slope(BOTH.during(10, 20), time="cube_root"), np.array([1, 2]) / np.diff(np.cbrt([10, 20]))),
        (lambda: stats.slope(BOTH, against=series(2 * VALUES[:, None])), [0.5, 0.5]),
        (lambda: stats.fit_quality(BOTH), [1, 10 / 22.8]),
        (lambda: stats.fit_quality(BOTH, against=series(-VALUES[:, None])), [1, 1]),
        (lambda: stats.rank_correlation(BOTH), [1, 0.6]),
        (lambda: stats.rank_correlation(BOTH, against=series(-VALUES[:, None])), [-1, -1]),
        (lambda: BOTH.mean().at(20), [3]),
        (lambda: stats.deviation(BOTH.at(20)), [np.sqrt(2)]),
        (lambda: stats.largest_ratio(BOTH, [10, 20, 40]), [2, 2]),
        (lambda: stats.largest_ratio(BOTH, [20, 40], np.log), np.array([2, 1.75]) * np.log(40) / np.log(20)),
        (lambda: stats.largest_ratio_of_means(BOTH, [20, 40], log_over_log_log),
         [11 / 6 * log_over_log_log(40) / log_over_log_log(20)]),
        (lambda: stats.first_step_staying_above(BOTH, 2.0), [20, 0]),
        (lambda: stats.first_step_staying_above(BOTH, 4.5), [np.inf, 30]),
        (lambda: stats.first_step_above(BOTH, 3.0), [30, 0]),
        (lambda: stats.first_step_above(BOTH, 4.5), [np.inf, 0]),
        (lambda: stats.step_of_smallest(BOTH), [0, 10]),
        (lambda: stats.step_of_smallest(series(np.where(VALUES == [0, 2], np.nan, VALUES)[:, None])), [np.nan, np.nan]),
        (lambda: stats.count_above(BOTH.at(30), 3.0), [2]),
        (lambda: stats.count_above(BOTH.at(30), 3.1), [1]),
    ],
)  # fmt: skip
def test_statistics_match_definitions(found, expected):
    np.testing.assert_allclose(np.ravel(found()), expected, rtol=1e-12)


@pytest.mark.parametrize("scale", [1e-300, 1e-170, 1e170, 1e300])
def test_statistics_scale_with_values(scale):
    scaled = series(scale * VALUES[:, None])
    np.testing.assert_allclose(stats.slope(scaled), scale * stats.slope(BOTH), rtol=1e-12)
    np.testing.assert_allclose(stats.slope(BOTH, against=scaled), stats.slope(BOTH, against=BOTH) / scale, rtol=1e-12)
    np.testing.assert_allclose(stats.fit_quality(scaled), stats.fit_quality(BOTH), rtol=1e-12)
    np.testing.assert_allclose(stats.deviation(scaled.at(20)), scale * stats.deviation(BOTH.at(20)), rtol=1e-12)
    means = [stats.mean(one.at(20), "start") for one in (scaled, BOTH)]
    ends = [(one.value, one.low, one.high) for one in means]
    np.testing.assert_allclose(ends[0], scale * np.array(ends[1]), rtol=1e-12)


# Two problems, d = 2 and d = 5, with two starts each.
FOUR = series(np.stack([VALUES, 10 * VALUES], axis=1), {"d": np.array([2.0, 5.0])})
# Two numbers for each of two starts.
PAIRS = series(np.stack([VALUES, 2 * VALUES], axis=-1)[:, None])
RISES = series(VALUES[:, None, :1])
FIRST = series(np.broadcast_to([1.0, 0.0], (5, 1, 2)))


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        (BOTH.trajectories(1), [7]),
        (BOTH.trajectories(1, 0), [7, 4]),
        (FOUR, [4, 7, 40, 70]),
        (FOUR.starts(1), [7, 70]),
        (FOUR.where(d=5), [40, 70]),
        (FOUR.where(d=[5, 2]).starts(0), [4, 40]),
        (FOUR.group_by("d")[1], [40, 70]),
        (FOUR.group_by_start()[1], [7, 70]),
        (FOUR.group_by("d")[1].trajectories(3), [70]),
        (PAIRS, [4, 8, 7, 14]),
        (PAIRS.trajectories(1), [7, 14]),
        (PAIRS.group_by_start()[2], [7]),
        (BOTH - RISES, [0, 3]),
        (PAIRS - BOTH, [0, 4, 0, 7]),
        (PAIRS - RISES, [0, 4, 3, 10]),
        (PAIRS.filter(FIRST), [4, 8]),
        (BOTH.filter(series(np.zeros((5, 1, 2)))), []),
        (FOUR.group_by("d")[1] - FOUR, [0, 0]),
    ],
)
def test_series_returns_requested_columns(part, expected):
    assert part.at(40).tolist() == expected


# Six problems in dimension d, one start each, without values before the last record.
SIX = {"d": np.array([2.0, 5.0, 2.0, 5.0, 10.0, 2.0])}
HIT = np.array([1.0, 0.0, 0.0, 1.0, 1.0, 1.0])
GAP = np.array([0.5, np.nan, -0.5, 2.0, 4.0, 0.6])


def at_last(last: np.ndarray) -> Series:
    return Series.of(np.array([0, 10]), np.stack([np.full(6, np.nan), last])[..., None], SIX)


hit, gap, solved, unsolved = (at_last(one.astype(float)) for one in (HIT, GAP, np.isfinite(GAP), np.isnan(GAP)))


def shares(series: Iterable[Series], level: float = 0.5) -> list[float]:
    return [stats.share_above(one.at(10), "problem", level).value for one in series]


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (lambda: gap.filter(solved).at(10), [0.5, -0.5, 2, 4, 0.6]),
        (lambda: [one.filter(solved).at(10).max() for one in gap.group_by("d")], [0.6, 2, 4]),
        (lambda: shares(hit.group_by("d")), [2 / 3, 0.5, 1]),
        (lambda: shares([hit], level=2), [0]),
        (lambda: [stats.mean(one.filter(solved).at(10), "problem").value for one in gap.group_by("d")], [0.2, 2, 4]),
        (lambda: [stats.median(gap.where(d=2).filter(solved).at(10), "problem").value], [0.5]),
        (lambda: [stats.mean(one.filter(hit).at(10), "problem").value for one in gap.group_by("d")], [0.55, 2, 4]),
        (lambda: shares(one.filter(unsolved) for one in hit.group_by("d")), [np.nan, 0, np.nan]),
    ],
)
def test_problems_are_grouped(found, expected):
    assert found() == pytest.approx(expected, nan_ok=True)


def test_empty_sample_decides_nothing():
    assert verdict(stats.share_above(np.array([]), "problem"), at_least(0)) == "reported"


@pytest.mark.parametrize(
    ("expected", "measured", "found"),
    [
        (at_least(1), [1.0, 2.0], "holds"),
        (at_least(1), [2.0, math.nextafter(1, 0)], "fails"),
        (at_least([1, 3]), [1.0, 3.0], "holds"),
        (at_least([1, 3]), [3.0, 1.0], "fails"),
        (at_most(1), [1.0, -2.0], "holds"),
        (at_most(1), [0.0, math.nextafter(1, 2)], "fails"),
        (at_least(0), [np.inf], "holds"),
        (at_most(0), [np.inf], "fails"),
        (equals(2), [2.0, 2.0], "holds"),
        (equals(2), [2.0, math.nextafter(2, 3)], "fails"),
        (equals([1, 0]), [1.0, 0.0], "holds"),
        (equals([1, 0]), [0.0, 1.0], "fails"),
        (near(2, within=0.5), [1.5, 2.5], "holds"),
        (near(2, within=0.5), [1.5, math.nextafter(2.5, 3)], "fails"),
        (near(2, within=0), [2.0], "holds"),
        (near([2, 4], within=0.5), [2.25, 4.25], "holds"),
        (near([2, 4], within=0.5), [4.25, 2.25], "fails"),
        (near(-200, within_percent=1), [-202.0, -198.0], "holds"),
        (near(-200, within_percent=1), [-202.1], "fails"),
        (near([100, 1], within_percent=10), [110.0, 1.5], "fails"),
        (near(0, within_percent=50), [1e-300], "fails"),
        (near(1, within=1e9), [np.inf], "fails"),
        (near(np.inf, within=1), [np.inf], "holds"),
        (REPORTED, [np.nan], "reported"),
    ],
)
def test_expectations_hold_within_bounds(expected, measured, found):
    assert verdict(np.array(measured), expected) == found


@pytest.mark.parametrize("expected", [at_least(0), at_most(0), equals(0), near(0, within=1)])
def test_nan_and_empty_measurements_never_hold(expected):
    measured = (0.0, [0.0, np.nan], [])
    assert [verdict(one, expected) for one in measured] == ["holds", "fails", "fails"]


# Expectations, and how they are described.
TEXTS = [
    (at_least(0.99), ">= 0.99"),
    (at_most(1e-8), "<= 1e-08"),
    (equals([1, 0]), "= 1 0"),
    (equals(4), "= 4"),
    (near([0.5, -1], within=0.01), "0.5 -1 +- 0.01"),
    (near(0.1, within_percent=2), "0.1 +- 2 %"),
    (REPORTED, "reported"),
]


def test_expectations_and_measurements_are_described():
    assert [expected.text for expected, _ in TEXTS] == [text for _, text in TEXTS]
    # Almost one is not one.
    assert format_numbers([0.99983, 1.0, float("inf"), -47.04123]) == "0.99983 1 inf -47.0412"
    assert check([1, np.array([[2.0], [3.0]]), np.float64(4)], REPORTED).measured == [1, 2, 3, 4]


ONE = Run(
    name="one", training=None, trajectory={"step": STEPS}, series={"both": VALUES[:, None]},
    problem=ScoredTokens(inputs=[{"tokens": [[1, 0], [0, 0]], "scores": [1, 0]}]).build(),
    references={"gmm": {"norm": np.array([1.5]), "neighbors": np.array([[[True, False], [False, True]]])}},
    lmm_set={"count": np.array(2)},
)  # fmt: skip
RUNS = Runs({"one": ONE})


def test_results_return_reference_values():
    assert ONE.reference("gmm", "norm").tolist() == [1.5]
    assert ONE.reference("gmm", "neighbors").tolist() == [1, 0, 0, 1]
    assert ONE.reference("lmm_set", "count").tolist() == [2]
    assert ONE.last_step == 40


REFUSALS = [
    *((call, r"was (not )?recorded") for call in (
        lambda: BOTH.at(5), lambda: stats.table(BOTH, [0, 50]), lambda: stats.change(BOTH, 0, 39),
        lambda: BOTH.during(41, 50), lambda: BOTH.during(11, 19), lambda: stats.largest_ratio(BOTH, [10, 15]),
    )),
    *((partial(stats.largest_ratio, BOTH, steps, log_over_log_log), "at least two steps") for steps in ([10], [1, 10])),
    (lambda: BOTH.trajectories(2), "index 2 does not exist; the series has 2 trajectories, 2 starts"),
    (lambda: FOUR.starts(2), "index 2 does not exist; the series has 4 trajectories, 2 starts"),
    (lambda: FOUR.where(d=3), "no problem has d = 3; there are 2, 5"),
    (lambda: FOUR.where(n=3), "the problems have no setting n; there are d"),
    (lambda: BOTH.group_by("d"), "the problems have no setting d; there are none"),
    (lambda: RISES - FOUR.group_by("d")[1] - PAIRS, "cannot be aligned"),
    (lambda: BOTH.during(0, 30) - BOTH.during(10, 40), "other recorded steps"),
    (lambda: BOTH - BOTH.during(20, 20), "other recorded steps"),
    *((partial(statistic, BOTH.during(0, 30), against=BOTH.during(10, 40)), "other recorded steps")
      for statistic in (stats.slope, stats.rank_correlation)),
    *((partial(statistic, np.array([np.nan, 1.0]), level=0.5), "some values are NaN")
      for statistic in (stats.count_above, partial(stats.share_above, unit="problem"))),
    *((partial(verdict, measured, expected), f"the expectation has 2 numbers, but {len(measured)} were measured")
      for expected in (equals([1, 0]), near([1, 0], within=1), at_least([1, 0]))
      for measured in ([1.0], [1.0, 0.0, 0.0])),
    *((partial(near, 0, **given), "exactly one of within and within_percent")
      for given in ({}, {"within": 1, "within_percent": 1})),
    (lambda: RUNS["two"], "run 'two' is not one of one"),
    (lambda: RUNS["one"]["falls"], "run one: series 'falls' is not one of both"),
    (lambda: RUNS["one"].reference("lmm", "norm"), "run one: reference 'lmm' is not one of gmm, lmm_set"),
    (lambda: RUNS["one"].reference("gmm", "weight"), "gmm: quantity 'weight' is not one of neighbors, norm"),
    *((partial(claim, "fig1", **{"says": "x", "basis": CHOSEN, "source": "here", **wrong}), message)
      for wrong, message in (
          ({"basis": "papr"}, f"'papr' is not a basis; choose one of {', '.join(BASES)}"),
          ({"scales": ["large"]}, "'large' is not a scale; choose one of smoke, laptop, workstation, paper"),
          ({"data": ["disk"]}, "'disk' is not a source of data; choose one of embedded, mirror, official"),
      )),
]  # fmt: skip


def test_missing_steps_and_names_and_wrong_settings_are_refused():
    assert_refused(REFUSALS)


def at_the_end(expected, **settings):
    """Return a claim about the last values of the run ``one``."""

    @claim("fig1", says="Values at the end", basis=CHOSEN, source="here", **settings)
    def values(one):
        return check(one["both"].at(40), expected)

    return values[0]


@pytest.mark.parametrize(
    ("expected", "scale", "verdict", "measured"),
    [
        (at_least(4), "laptop", "holds", "4 7"),
        (at_least(5), "laptop", "fails", "4 7"),
        (equals(7), "laptop", "fails", "4 7"),
        (at_least(4), "paper", "holds", "4 7"),
        (at_least(5), "smoke", "not tested", ""),
        (REPORTED, "laptop", "reported", "4 7"),
    ],
)
def test_verdicts_follow_measurements(expected, scale, verdict, measured):
    one = at_the_end(expected, scales=["laptop", "paper"], data=["mirror"])
    for data in (None, "mirror"):
        row = judge(one, RUNS, scale, data)
        assert (row["verdict"], row["measured"]) == (verdict, measured)
        assert row["expected"] == ("" if verdict == "not tested" else expected.text)
    assert judge(one, RUNS, scale, "embedded")["verdict"] == "not tested"


def test_undecided_claim_says_what_would_decide_it():
    @claim("fig1", says="It is positive", basis=CHOSEN, source="here")
    def positive(one):
        return check(stats.mean(np.array([-1.0, 1.0, 2.0]), "seed"), at_least(0))

    row = judge(positive[0], RUNS, "laptop", paper="max_margin")
    assert row["verdict"] == "undecided"
    found = re.fullmatch(r"about (\d+) seeds, instead of 3, with a power of 80%: (.*)", row["decided_by"])
    assert found[2] == f"make try FIGURE=max_margin/fig1 SEEDS={found[1]}"


def test_error_in_claim_names_file_and_claim():
    @claim("fig1", says="x", basis=CHOSEN, source="here")
    def misspelt(one):
        return check(one["bth"].at(40), at_least(0))

    message = r"test_claims\.py: misspelt: run one: series 'bth' is not one of both \(did you mean 'both'\?\)"
    with pytest.raises(ValueError, match=message):
        judge(misspelt[0], RUNS, "laptop")


def test_claim_exists_for_every_figure_and_case():
    cases = {"early": {"step": 10, "where": "Theorem 1"}, "late": {"step": 40, "where": "Theorem 2"}}

    @claim("fig1", "fig2", says="{case[step]} in {{braces}}", basis=PAPER, source="{case[where]}", cases=cases)
    def value(one, case, scale, runs):
        return check(runs["one"]["both"].at(case["step"]), at_least(len(scale)))  # fmt: skip

    assert [(one.figure, one.name, one.says, one.source) for one in value] == [
        (figure, f"value[{name}]", f"{step} in {{braces}}", source)
        for figure in ("fig1", "fig2")
        for name, step, source in (("early", 10, "Theorem 1"), ("late", 40, "Theorem 2"))
    ]
    assert value[0].runs == ["one"]
    assert value[1].check(RUNS, "laptop").measured == [4, 7]
    module = ModuleType("some_claims")
    module.value, module.other = value, 3
    assert claims_in(module) == list(value)


def test_claim_without_figure_is_about_that_of_its_file():
    assert {one.figure for one in claims_in(fig10_claims)} == {"fig10"}


@pytest.mark.parametrize("text", ["$\\ell_{p}$ {case}", "{", "}", "{case.x}", "{0}", "{case[a]}", "{case:q}"])
def test_braces_that_cannot_be_filled_in_are_named(text):
    with pytest.raises(ValueError, match=r"^value: .* write other braces twice") as raised:

        @claim("fig1", says=text, basis=PAPER, source="x", cases=[1])
        def value(one):
            return None

    assert repr(text) in str(raised.value)

    @claim("fig1", says=text, basis=PAPER, source="x")
    def other(one):
        return None

    assert other[0].says == text


def test_published_numbers_are_read_by_column(tmp_path):
    (tmp_path / "fig4_losses.csv").write_text("# source: log\nstep,loss\n0,3.5\n2,1e-3\n")
    module = str(tmp_path / "fig4_claims.py")
    columns = published(module, "fig4_losses")
    assert {name: column.tolist() for name, column in columns.items()} == {"step": [0, 2], "loss": [3.5, 0.001]}
    with pytest.raises(ValueError, match="begin with fig4"):
        published(module, "fig5_losses")
    with pytest.raises(OSError, match=r"fig4\.csv"):
        published(module, "fig4")


def row(**more):
    return {
        "paper": "max_margin", "figure": "fig1", "claim": "converges", "says": "p converges", "source": "Theorem 1",
        "basis": "paper", "expected": ">= 0.99", "measured": "0.995", "verdict": "holds", "scale": "laptop",
        "fidelity": "exact", "explanation": None, "scales": ["laptop"],
        "interval": "[0.99, 1]", "estimate": "0.995", "low": "0.99", "high": "1", "n": "20", "unit": "seed",
        "method": "BCa", "statement": "theorem-1", "setting": "paper", "decided_by": "",
    } | more  # fmt: skip


def test_csv_has_ledger_columns_in_order():
    text = ledger.to_csv([row(says="one, two\nthree"), row(claim="other", verdict="fails", measured="")])
    head, first, second = csv.reader(io.StringIO(text))
    assert head == ledger.COLUMNS == [
        "paper", "figure", "claim", "says", "source", "basis", "expected", "measured", "verdict", "scale", "fidelity",
        "interval", "estimate", "low", "high", "n", "unit", "method", "statement", "setting", "decided_by",
    ]  # fmt: skip
    assert first == [row(says="one, two\nthree")[column] for column in head]
    assert second[head.index("verdict")] == "fails"
    assert second[head.index("measured")] == ""
    assert ledger.to_csv([]) == ",".join(ledger.COLUMNS) + "\n"


def test_page_counts_claims_and_explains_failures():
    rows = [
        row(says="|p| grows\nwithout bound", expected="a|b"),
        row(claim="slow", verdict="fails", explanation="needs more steps"),
        row(claim="late", verdict="fails"),
        row(claim="large", verdict="not tested", measured=""),
        row(claim="wide", verdict="reported"),
        row(claim="few", verdict="undecided", decided_by="about 9 seeds"),
        row(figure="fig2", fidelity="declared"),
    ]
    page = ledger.to_markdown(rows, summarize([], []))
    assert "2 of 5 judged claims hold, 1 are undecided." in page
    assert "\nfew is undecided; about 9 seeds.\n" in page
    assert "\nslow fails: needs more steps\n" in page
    assert "\nlate fails: not explained yet.\n" in page
    assert page.count("fails:") == 2
    assert page.count("| fails |") == 2
    assert "| not tested |" in page
    assert "| reported |" in page
    assert page.index("## max_margin/fig1 (exact, laptop scale)") < page.index("## max_margin/fig2 (declared, laptop")
    assert "Max-margin programs" not in page
    # Cells are escaped.
    line = r"| converges | \|p\| grows without bound | Theorem 1 | paper | a\|b | 0.995 | [0.99, 1] | holds |"
    assert f"\n{line}\n" in page


@pytest.fixture
def figures(tmp_path):
    """A folder with two figures in two formats, and the manifest."""
    (tmp_path / "max_margin").mkdir()
    files = [tmp_path / "max_margin" / f"{figure}.{form}" for figure in ("fig2", "fig1") for form in ("svg", "pdf")]
    for file in files:
        file.write_bytes(file.name.encode())
    labels = [{"paper": "max_margin", "figure": f, "scale": "laptop", "fidelity": "exact"} for f in ("fig1", "fig2")]
    claims = [row(), row(claim="slow", verdict="fails"), row(claim="large", verdict="not tested")]
    (tmp_path / "manifest.csv").write_text(build_manifest(labels, hash_files(map(str, files)), claims, {}))
    return tmp_path


def test_manifest_lists_files_with_verdicts(figures):
    head, *lines = csv.reader((figures / "manifest.csv").read_text().splitlines())
    assert head == COLUMNS
    listed = [dict(zip(head, line, strict=True)) for line in lines]
    assert [one["file"] for one in listed] == [
        f"max_margin/{f}" for f in ("fig1.pdf", "fig1.svg", "fig2.pdf", "fig2.svg")
    ]
    assert [(one["claims_held"], one["claims_judged"]) for one in listed] == [("1", "2")] * 2 + [("0", "0")] * 2
    assert {(one["scale"], one["fidelity"], len(one["sha256"])) for one in listed} == {("laptop", "exact", 64)}
    # The picture of a record, which the pages copy.
    (figures / "max_margin/fig1.record.png").write_bytes(b"")
    assert verify_manifest(figures) == []


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda folder: (folder / "max_margin/fig1.pdf").unlink(), "fig1.pdf: is missing"),
        (lambda folder: (folder / "max_margin/fig1.pdf").write_bytes(b"fig1.pdg"), "fig1.pdf: its SHA-256 differs"),
        (lambda folder: (folder / "max_margin/fig3.png").write_bytes(b""), "fig3.png: is not in the manifest"),
        (
            lambda folder: (folder / "manifest.csv").unlink(),
            "manifest.csv: there is none yet; run `snakemake figures/all` first",
        ),
        (lambda folder: (folder / "manifest.csv").write_text(""), "manifest.csv: cannot be read"),
        (lambda folder: (folder / "manifest.csv").write_text("a,b\n1,2\n"), "manifest.csv: cannot be read"),
    ],
    ids=["missing", "altered", "extra", "no manifest", "empty manifest", "other table"],
)
def test_verification_names_wrong_file(figures, damage, message):
    damage(figures)
    (found,) = verify_manifest(figures)
    assert message in found


def test_measured_figure_needs_only_to_be_there(tmp_path):
    (tmp_path / "p").mkdir()
    file = tmp_path / "p/times.pdf"
    file.write_bytes(b"one")
    label = {"paper": "p", "figure": "times", "scale": "laptop", "fidelity": "stand-in", "measured": True}
    (tmp_path / "manifest.csv").write_text(build_manifest([label], hash_files([str(file)]), [], {}))
    (line,) = csv.DictReader((tmp_path / "manifest.csv").read_text().splitlines())
    assert line["sha256"] == "measured"
    file.write_bytes(b"two")
    assert verify_manifest(tmp_path) == []
    file.unlink()
    assert verify_manifest(tmp_path) == [f"{file}: is missing"]


@pytest.mark.parametrize("wanted", [lambda run: run["norm_p"].at(50), lambda run: run["norm_p"].during(50, 60).values])
def test_claim_after_end_of_shortened_run_is_not_tested(wanted):
    @claim("fig", says="It ends later", basis=CHOSEN, source="chosen")
    def later(only):
        return check(wanted(only), at_least(0))

    run = Run(training=None, problem=None, trajectory={"step": STEPS}, series={"norm_p": np.ones((len(STEPS), 1, 1))})
    row = judge(later[0], Runs({"only": run}), "laptop")
    assert row["verdict"] == "not tested"
    assert row["measured"] == f"step 50 was not recorded: the run ends at step {STEPS[-1]}"


def test_summary_counts_claims_and_names_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("figures").mkdir()
    for verdicts, said in (
        (["holds", "fails", "fails", "reported"], "1 of 3 judged claims hold, 2 fail (figures/claims.md says why)."),
        (["holds", "holds", "not tested"], "2 of 2 judged claims hold."),
    ):
        Path("figures/claims.csv").write_text(ledger.to_csv([{"says": "a,\nb", "verdict": one} for one in verdicts]))
        summary = format_summary(Path("figures/claims.csv"), Path("figures/index.html"))
        assert summary == f"{said} Open figures/index.html in a browser."


def test_damaged_table_is_named(tmp_path):
    table = tmp_path / "table.csv"
    for damaged in (b"", b"\xff\xfe", b"verdict", b"not what it was\n1\n", b'"', b"\0\n"):
        table.write_bytes(damaged)
        assert re.search(r"table\.csv: .*Delete this file", refusal(read_certificates, table, error=DamagedFile))
        if damaged != b"verdict":
            assert format_summary(table, Path("index.html")).startswith(f"{table} cannot be read (")


def test_manifest_refuses_file_that_was_changed(figures):
    file = figures / "max_margin/fig1.svg"
    made = hash_files([str(file)])
    for changed in (b"", b"fig1.svh"):
        file.write_bytes(changed)
        line = refusal(build_manifest, [], made, [], {}, error=DamagedFile)
        assert "fig1.svg: it was changed after it was made. Delete this file" in line

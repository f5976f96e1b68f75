"""Statistics, expectations, verdicts, the ledger and the manifest."""

import csv
import io
import math

import numpy as np
import pytest
from pydantic import ValidationError

from attention_dynamics.claims import ledger, statistics
from attention_dynamics.claims.expectation import Expectation, show
from attention_dynamics.claims.judge import judge, measure_claim
from attention_dynamics.claims.manifest import COLUMNS, build_manifest, verify_manifest
from attention_dynamics.config.schema import STATISTICS
from attention_dynamics.config.signatures import functions
from attention_dynamics.run import Run

STEPS = np.array([0, 10, 20, 30, 40])
# Two trajectories: one rises evenly, the other falls, rises and falls again.
VALUES = np.array([[0.0, 5.0], [1.0, 2.0], [2.0, 4.0], [3.0, 8.0], [4.0, 7.0]])


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("value", {"step": 30}, [3, 8]),
        ("value", {"step": 30, "over": "min"}, [3]),
        ("value", {"step": 0, "over": "max"}, [5]),
        ("table", {"at": [40, 0]}, [4, 7, 0, 5]),
        ("smallest", {"window": [10, 40]}, [1]),
        ("smallest", {"window": [10, 40], "over": "each"}, [1, 2]),
        ("smallest", {"window": [20, 20], "over": "max"}, [4]),
        ("largest", {"window": [0, 20]}, [5]),
        ("largest", {"window": [1, 25], "over": "each"}, [2, 4]),
        ("smallest_increase", {"window": [0, 40]}, [-3]),
        ("smallest_increase", {"window": [10, 40], "over": "each"}, [1, -1]),
        ("smallest_increase", {"window": [10, 30], "over": "each"}, [1, 2]),
        ("change", {"window": [0, 40]}, [4, 2]),
        ("change", {"window": [10, 20], "over": "min"}, [1]),
        ("change_ratio", {"late": [20, 40], "early": [0, 10]}, [2, -1]),
        ("change_ratio", {"late": [20, 40], "early": [0, 10], "over": "max"}, [2]),
        ("slope", {"window": [0, 40]}, [0.1, 0.1]),
        ("slope", {"window": [10, 30], "over": "max"}, [0.3]),
        ("slope", {"window": [10, 20], "time": "log"}, [1 / np.log(2), 2 / np.log(2)]),
        ("slope", {"window": [10, 20], "time": "log", "log": True}, [1, 1]),
        ("slope", {"window": [10, 20], "time": "log_log"}, np.array([1, 2]) / np.log(np.log(20) / np.log(10))),
        ("slope", {"window": [10, 20], "time": "cube_root"}, np.array([1, 2]) / (20 ** (1 / 3) - 10 ** (1 / 3))),
        ("slope", {"window": [0, 40], "against": 2 * VALUES}, [0.5, 0.5]),
        ("fit_quality", {"window": [0, 40]}, [1, 10 / 22.8]),
        ("fit_quality", {"window": [0, 40], "against": -VALUES}, [1, 1]),
        ("means", {"at": [0, 40]}, [2.5, 5.5]),
        ("largest_increase", {"window": [0, 40]}, [4]),
        ("largest_increase", {"window": [30, 40], "over": "each"}, [1, -1]),
        ("deviation", {"step": 20}, [np.sqrt(2)]),
        ("rank_correlation", {"window": [0, 40]}, [1, 0.6]),
        ("rank_correlation", {"window": [0, 40], "against": -VALUES, "over": "max"}, [-1]),
        ("value", {"step": 20, "over": "mean"}, [3]),
        ("largest_ratio", {"at": [10, 20, 40], "over": "each"}, [2, 2]),
        ("largest_ratio", {"at": [20, 40]}, [2]),
        ("largest_ratio", {"at": [20, 40], "times": "log"}, [2 * np.log(40) / np.log(20)]),
        (
            "largest_ratio_of_means",
            {"at": [20, 40], "times": "log_to_three_quarters"},
            [11 / 6 * (np.log(40) / np.log(20)) ** 0.75],
        ),
        (
            "largest_ratio_of_means",
            {"at": [20, 40], "times": "log_over_log_log"},
            [11 / 6 * (np.log(40) / np.log(20)) / (np.log(np.log(40)) / np.log(np.log(20)))],
        ),
        ("largest_ratio", {"at": [20, 40], "times": "t_over_log_squared"}, [4 * (np.log(20) / np.log(40)) ** 2]),
        ("settles", {"level": 2.0}, [20, 0]),
        ("settles", {"level": 4.5}, [np.inf, 30]),
        ("settles", {"level": 0.0, "over": "max"}, [0]),
        ("first_step", {"level": 3.0}, [30, 0]),
        ("first_step", {"level": 4.5}, [np.inf, 0]),
        ("first_step", {"level": 7.5, "over": "min"}, [30]),
        ("step_of_smallest", {}, [0, 10]),
        ("step_of_smallest", {"over": "max"}, [10]),
        ("count", {"step": 30, "level": 3.0}, [2]),
        ("count", {"step": 30, "level": 3.1}, [1]),
        ("count", {"step": 0, "level": 6.0}, [0]),
    ],
)
def test_statistics(name, arguments, expected):
    found = getattr(statistics, name)(STEPS, VALUES, **arguments)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_there_is_no_smallest_value_beside_one_that_is_none():
    values = np.vstack([np.full_like(VALUES[:1], np.nan), VALUES[1:]])
    assert np.isnan(statistics.step_of_smallest(STEPS, values)).all()


def test_every_statistic_is_tested_here():
    marks = test_statistics.pytestmark[0].args[1]
    of_samples = {"share", "mean", "median"}  # in test_samples.py
    assert {name for name, _, _ in marks} | of_samples == set(functions(STATISTICS))


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("value", {"step": 5}),
        ("table", {"at": [0, 50]}),
        ("count", {"step": 41, "level": 0.0}),
        ("change", {"window": [0, 39]}),
        ("change_ratio", {"late": [10, 20], "early": [5, 10]}),
        ("smallest", {"window": [41, 50]}),
        ("largest", {"window": [11, 19]}),
        ("slope", {"window": [11, 19]}),
        ("largest_increase", {"window": [11, 19]}),
        ("largest_ratio", {"at": [10, 15]}),
        ("means", {"at": [10, 15]}),
    ],
)
def test_a_step_that_was_not_recorded_is_refused(name, arguments):
    with pytest.raises(ValueError, match=r"was (not )?recorded"):
        getattr(statistics, name)(STEPS, VALUES, **arguments)


@pytest.mark.parametrize(
    ("expected", "measured", "holds"),
    [
        ({"at_least": 1}, [1.0, 2.0], True),
        ({"at_least": 1}, [2.0, math.nextafter(1, 0)], False),
        ({"at_most": 1}, [1.0, -2.0], True),
        ({"at_most": 1}, [0.0, math.nextafter(1, 2)], False),
        ({"at_least": 0}, [np.inf], True),
        ({"at_most": 0}, [np.inf], False),
        ({"equals": 2}, [2.0, 2.0], True),
        ({"equals": 2}, [2.0, math.nextafter(2, 3)], False),
        ({"equals": [1, 0]}, [1.0, 0.0], True),
        ({"equals": [1, 0]}, [0.0, 1.0], False),
        ({"near": 2, "within": 0.5}, [1.5, 2.5], True),
        ({"near": 2, "within": 0.5}, [1.5, math.nextafter(2.5, 3)], False),
        ({"near": 2, "within": 0}, [2.0], True),
        ({"near": [2, 4], "within": 0.5}, [2.25, 4.25], True),
        ({"near": [2, 4], "within": 0.5}, [4.25, 2.25], False),
        ({"near": -200, "within_percent": 1}, [-202.0, -198.0], True),
        ({"near": -200, "within_percent": 1}, [-202.1], False),
        ({"near": [100, 1], "within_percent": 10}, [110.0, 1.5], False),
        ({"near": 0, "within_percent": 50}, [1e-300], False),
        ({"near": 1, "within": 1e9}, [np.inf], False),
    ],
)
def test_expectations(expected, measured, holds):
    assert Expectation(**expected).holds(measured) is holds


@pytest.mark.parametrize("expected", [{"at_least": 0}, {"at_most": 0}, {"equals": 0}, {"near": 0, "within": 1}])
def test_no_number_and_no_numbers_are_never_as_expected(expected):
    assert Expectation(**expected).holds([0.0])
    assert not Expectation(**expected).holds([0.0, float("nan")])
    assert not Expectation(**expected).holds([])


@pytest.mark.parametrize("expected", [{"equals": [1, 0]}, {"near": [1, 0], "within": 1}])
@pytest.mark.parametrize("measured", [[1.0], [1.0, 0.0, 0.0]])
def test_another_number_of_numbers_is_a_mistake_in_the_claim(expected, measured):
    with pytest.raises(ValueError, match=f"2 numbers are expected, {len(measured)} were measured"):
        Expectation(**expected).holds(measured)


@pytest.mark.parametrize(
    "contradiction",
    [
        {},
        {"at_least": 0, "at_most": 1},
        {"equals": 0, "near": 0, "within": 1},
        {"near": 0},
        {"near": 0, "within": 1, "within_percent": 1},
        {"equals": 0, "within": 1},
        {"at_least": 0, "within_percent": 1},
        {"within": 1},
        {"near": 0, "within": -1},
        {"at_least": float("nan")},
        {"at_least": float("inf")},
        {"at_least": "1"},
        {"atleast": 1},
    ],
)
def test_contradictory_expectations_are_refused(contradiction):
    with pytest.raises(ValidationError):
        Expectation(**contradiction)


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        ({"at_least": 0.99}, ">= 0.99"),
        ({"at_most": 1e-8}, "<= 1e-08"),
        ({"equals": [1, 0]}, "= 1 0"),
        ({"equals": 4}, "= 4"),
        ({"near": [0.5, -1], "within": 0.01}, "0.5 -1 +- 0.01"),
        ({"near": 0.1, "within_percent": 2}, "0.1 +- 2 %"),
    ],
)
def test_expectations_in_words(expected, text):
    assert str(Expectation(**expected)) == text


def test_printed_numbers_tell_almost_one_from_one():
    assert show([0.99983, 1.0, float("inf"), -47.04123]) == "0.99983 1 inf -47.0412"


RUNS = {
    "one": Run(
        training=None,
        problem=None,
        references={"gmm": {"norm": np.array([1.5]), "neighbours": np.array([[[True, False], [False, True]]])}},
        trajectory={"step": STEPS},
        series={"rises": VALUES[:, None, :1], "both": VALUES[:, None], "problems": VALUES[..., None],
                "four": np.stack([VALUES, 10 * VALUES], axis=1),
                "pairs": np.stack([VALUES, 2 * VALUES], axis=-1)[:, None],
                "first": np.broadcast_to([1.0, 0.0], (5, 1, 2)), "three": VALUES[:, None, [0, 1, 1]]},
        lmm_set={"count": np.array(2)},
    ),
    "half": Run(
        training=None, problem=None, trajectory={"step": STEPS}, series={"both": VALUES[:, None] / 2}
    ),
}  # fmt: skip


def series(name="both", statistic="value", **more):
    """A claim's ``measured`` block, by default the values at the last step."""
    block = {"run": "one", "series": name, "statistic": statistic, "minus": None, "trajectories": None}
    return block | ({"step": 40} if statistic == "value" else {}) | more


@pytest.mark.parametrize(
    ("measured", "expected"),
    [
        (series(), [4, 7]),
        (series(over="min"), [4]),
        (series(trajectories=[1]), [7]),
        (series(trajectories=[1, 0]), [7, 4]),
        (series(minus="rises"), [0, 3]),
        (series(minus="both", trajectories=[0]), [0]),
        (series("problems"), [4, 7]),
        (series("four"), [4, 7, 40, 70]),
        (series("four", starts=[1]), [7, 70]),
        (series("four", starts=[1], trajectories=[0, 1]), [7]),
        (series(versus={"run": "half", "compare": "ratio"}), [2, 2]),
        (series(versus={"run": "half", "compare": "difference"}, trajectories=[1]), [3.5]),
        (series(statistic="slope", window=[0, 40], against="both"), [1, 1]),
        (series(statistic="table", at=[0, 10]), [0, 5, 1, 2]),
        (series("pairs"), [4, 8, 7, 14]),
        (series("pairs", trajectories=[1]), [7, 14]),
        (series("pairs", minus="both"), [0, 4, 0, 7]),
        (series("pairs", minus="rises"), [0, 4, 3, 10]),
        (series("pairs", among="first"), [4, 8]),
        (series("pairs", statistic="slope", window=[0, 40], against="both"), [1, 2, 1, 2]),
        ({"run": "one", "reference": "gmm", "quantity": "norm"}, [1.5]),
        ({"run": "one", "reference": "gmm", "quantity": "neighbours", "over": "min"}, [0]),
        ({"run": "one", "reference": "gmm", "quantity": "neighbours", "over": "max"}, [1]),
        ({"run": "one", "reference": "gmm", "quantity": "neighbours"}, [1, 0, 0, 1]),
        ({"run": "one", "reference": "lmm_set", "quantity": "count"}, [2]),
    ],
)
def test_what_a_claim_is_about(measured, expected):
    assert measure_claim(measured, RUNS) == expected


@pytest.mark.parametrize(
    "measured",
    [series(run="two"), series("falls"), series(minus="falls"), series("four", starts=[2]),
     series(versus={"run": "two", "compare": "ratio"}), series("four", versus={"run": "half", "compare": "ratio"}),
     series(trajectories=[2]), series("pairs", trajectories=[2]), series(minus="three"), series(among="pairs"),
     series(statistic="slope", window=[0, 40], against="pairs"),
     {"run": "one", "reference": "gmm", "quantity": "weight"}, {"run": "one", "reference": "lmm", "quantity": "norm"}],
)  # fmt: skip
def test_a_claim_about_nothing_is_refused(measured):
    with pytest.raises((KeyError, ValueError)):
        measure_claim(measured, RUNS)


@pytest.mark.parametrize(
    ("expected", "scale", "verdict", "numbers"),
    [
        ({"at_least": 4}, "laptop", "held", [4, 7]),
        ({"at_least": 5}, "laptop", "failed", [4, 7]),
        ({"equals": 7}, "laptop", "failed", [4, 7]),
        ({"at_least": 5}, "smoke", "not_judged", []),
        ({"reported": True}, "laptop", "reported", [4, 7]),
    ],
)
def test_verdicts(expected, scale, verdict, numbers):
    claim = {"measured": series(), "expected": expected, "scales": ["laptop", "paper"], "data": ["mirror"]}
    for data in (None, "mirror"):
        assert judge(claim, RUNS, scale, data) == {"measured": numbers, "interval": [], "verdict": verdict}
    assert judge(claim, RUNS, scale, "embedded") == {"measured": [], "interval": [], "verdict": "not_judged"}


def row(**more):
    return {
        "paper": "max_margin", "figure": "fig1", "claim": "converges", "says": "p converges", "source": "Theorem 1",
        "basis": "paper", "expected": ">= 0.99", "measured": "0.995", "verdict": "held", "scale": "laptop",
        "fidelity": "exact", "explanation": None, "scales": ["laptop"],
        "interval": "[0.99, 1]",
    } | more  # fmt: skip


def test_the_csv_has_the_columns_of_the_ledger_in_order():
    text = ledger.to_csv([row(says="one, two\nthree"), row(claim="other", verdict="failed", measured="")])
    head, first, second = csv.reader(io.StringIO(text))
    assert head == ledger.COLUMNS
    assert head == ["paper", "figure", "claim", "says", "source", "basis", "expected", "measured", "verdict", "scale",
                    "fidelity", "interval"]  # fmt: skip
    assert first == [row(says="one, two\nthree")[column] for column in head]
    assert second[head.index("verdict")] == "failed"
    assert second[head.index("measured")] == ""


def test_the_csv_of_no_claims_is_its_head():
    assert ledger.to_csv([]) == ",".join(ledger.COLUMNS) + "\n"


def test_the_page_counts_judged_claims_and_explains_failures():
    page = ledger.to_markdown(
        [
            row(),
            row(claim="slow", verdict="failed", explanation="needs more steps"),
            row(claim="late", verdict="failed"),
            row(claim="large", verdict="not_judged", measured=""),
            row(claim="wide", verdict="reported"),
            row(figure="fig2", fidelity="declared"),
        ]
    )
    assert "2 of 4 judged claims held." in page
    assert "\nslow failed: needs more steps\n" in page
    assert "\nlate failed: not explained yet.\n" in page
    assert page.count("failed:") == 2
    assert page.count("**FAILED**") == 2
    assert "| not judged |" in page
    assert "| reported |" in page
    assert page.index("## max_margin/fig1 (exact, laptop scale)") < page.index("## max_margin/fig2 (declared, laptop")


def test_the_page_keeps_its_tables_whole():
    page = ledger.to_markdown([row(says="|p| grows\nwithout bound", expected="a|b")])
    (line,) = [line for line in page.splitlines() if line.startswith("| converges")]
    assert line == (r"| converges | \|p\| grows without bound | Theorem 1 | paper | a\|b | 0.995 | [0.99, 1] | held |")


@pytest.fixture
def figures(tmp_path):
    """A folder with two figures in two formats, their claims, and the manifest."""
    (tmp_path / "max_margin").mkdir()
    files = [tmp_path / "max_margin" / f"{figure}.{form}" for figure in ("fig2", "fig1") for form in ("svg", "pdf")]
    for file in files:
        file.write_bytes(file.name.encode())
    rows = [row(), row(claim="slow", verdict="failed"), row(claim="large", verdict="not_judged")]
    (tmp_path / "claims.csv").write_text(ledger.to_csv(rows))
    labels = [{"paper": "max_margin", "figure": f, "scale": "laptop", "fidelity": "exact"} for f in ("fig1", "fig2")]
    (tmp_path / "manifest.csv").write_text(build_manifest(labels, map(str, files), str(tmp_path / "claims.csv")))
    return tmp_path


def test_the_manifest_lists_every_file_with_the_verdicts_on_its_figure(figures):
    head, *lines = csv.reader((figures / "manifest.csv").read_text().splitlines())
    assert head == COLUMNS
    listed = [dict(zip(head, line, strict=True)) for line in lines]
    assert [one["file"] for one in listed] == [
        f"max_margin/{f}" for f in ("fig1.pdf", "fig1.svg", "fig2.pdf", "fig2.svg")
    ]
    assert [(one["claims_held"], one["claims_judged"]) for one in listed] == [("1", "2")] * 2 + [("0", "0")] * 2
    assert {(one["scale"], one["fidelity"], len(one["sha256"])) for one in listed} == {("laptop", "exact", 64)}
    assert verify_manifest(figures) == []


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda folder: (folder / "max_margin/fig1.pdf").unlink(), "fig1.pdf: missing"),
        (
            lambda folder: (folder / "max_margin/fig1.pdf").write_bytes(b"fig1.pdg"),
            "fig1.pdf: differs from the manifest",
        ),
        (lambda folder: (folder / "max_margin/fig3.png").write_bytes(b""), "fig3.png: not in the manifest"),
        (lambda folder: (folder / "manifest.csv").unlink(), "manifest.csv: cannot be read"),
        (lambda folder: (folder / "manifest.csv").write_text(""), "manifest.csv: cannot be read"),
        (lambda folder: (folder / "manifest.csv").write_text("a,b\n1,2\n"), "manifest.csv: cannot be read"),
    ],
    ids=["missing", "altered", "extra", "no manifest", "empty manifest", "other table"],
)
def test_verification_names_the_file_that_is_wrong(figures, damage, message):
    damage(figures)
    (found,) = verify_manifest(figures)
    assert message in found

"""Numbers drawn from random samples: intervals, groups of problems, two-sample tests."""

import math
from functools import partial

import numpy as np
import pytest
import scipy.stats
from pydantic import ValidationError

from attention_dynamics.claims import statistics
from attention_dynamics.claims.estimate import same_share, sample_mean, sample_median, wilson
from attention_dynamics.claims.expectation import Expectation, show_intervals
from attention_dynamics.claims.judge import judge, measure_claim
from attention_dynamics.problems.scored_tokens import ScoredTokens
from attention_dynamics.run import Run

Z = 1.959963984540054


@pytest.mark.parametrize(("hits", "size"), [(0, 1000), (1, 1), (3, 7), (706, 1000), (1000, 1000)])
def test_wilson_s_interval_is_its_closed_form(hits, size):
    share = hits / size
    middle = (share + Z**2 / (2 * size)) / (1 + Z**2 / size)
    half = Z / (1 + Z**2 / size) * math.sqrt(share * (1 - share) / size + Z**2 / (4 * size**2))
    estimate = wilson(hits, size)
    assert (estimate.value, estimate.size) == (share, size)
    assert (estimate.low, estimate.high) == pytest.approx((middle - half, middle + half), abs=1e-9)


def test_intervals_cover_what_they_estimate():
    rng = np.random.default_rng(0)
    samples = rng.exponential(size=(2000, 60))
    for estimator, truth in ((sample_mean, 1.0), (sample_median, math.log(2))):
        estimates = [estimator(sample) for sample in samples]
        assert 0.92 <= np.mean([one.low <= truth <= one.high for one in estimates]) <= 0.98
    assert sample_mean(samples[0]).value == samples[0].mean()
    assert sample_median(samples[0]).value == np.median(samples[0])


@pytest.mark.parametrize("size", [6, 7, 20, 300])
def test_the_median_s_interval_covers_it_95_times_of_100_exactly(size):
    ranks = np.arange(1.0, size + 1)
    estimate = sample_median(ranks)
    # P(the median lies between two order statistics), by counting how many numbers fall below it.
    below = scipy.stats.binom(size, 0.5)
    coverage = below.cdf(estimate.high - 1) - below.cdf(estimate.low - 1)
    narrower = below.cdf(estimate.high - 2) - below.cdf(estimate.low)
    assert narrower < 0.95 <= coverage


def test_a_share_of_numbers_that_are_not_there_is_refused():
    for statistic in (partial(statistics.share, step=0), partial(statistics.count, step=0, level=0.5)):
        with pytest.raises(ValueError, match="no value there"):
            statistic(STEPS, np.array([[np.nan, 1.0], [0.0, 1.0]]))


def test_one_number_has_no_interval_and_none_has_no_mean():
    assert sample_mean(np.array([2.0])) == sample_median(np.array([2.0])) == (2.0, -math.inf, math.inf, 1)
    for estimator in (sample_mean, sample_median):
        with pytest.raises(ValueError, match="empty sample"):
            estimator(np.array([]))


@pytest.mark.parametrize(("a", "b"), [((0, 10), (0, 10)), ((5, 10), (0, 10)), ((700, 1000), (706, 1000))])
def test_the_two_sample_test_is_fisher_s(a, b):
    # Hypergeometric: given all hits, every split at most as likely as the one seen.
    (hits, size), (others, other_size) = a, b
    split = scipy.stats.hypergeom(size + other_size, hits + others, size)
    likely = split.pmf(np.arange(hits + others + 1))
    assert same_share(*a, *b) == pytest.approx(likely[likely <= split.pmf(hits) * (1 + 1e-9)].sum())


def test_samples_of_the_same_population_seldom_differ():
    rng = np.random.default_rng(1)
    hits = rng.binomial(300, 0.2, size=(1000, 2))
    p_values = [same_share(one, 300, other, 300) for one, other in hits.tolist()]
    assert np.mean(np.array(p_values) < 0.05) <= 0.06


STEPS = np.array([0, 10])
SETTINGS = [2.0, 5.0, 2.0, 5.0, 10.0, 2.0]
SHARE = np.array([1.0, 0.0, 0.0, 1.0, 1.0, 1.0])
GAP = np.array([0.5, np.nan, -0.5, 2.0, 4.0, 0.6])


def runs():
    inputs = [{"tokens": [[1, 0], [0, 0]], "scores": ["d", 0]}]
    problem = ScoredTokens(inputs=inputs, settings={"d": SETTINGS}).build()
    last = {"hit": SHARE, "gap": GAP, "solved": np.isfinite(GAP).astype(float), "none": np.isnan(GAP).astype(float)}
    series = {name: np.stack([np.full(6, np.nan), values])[..., None] for name, values in last.items()}
    return {"one": Run(training=None, problem=problem, trajectory={"step": STEPS}, series=series)}


def numbers(series, statistic="value", **more):
    claim = {"run": "one", "series": series, "statistic": statistic, "step": 10, "minus": None, "trajectories": None}
    found = measure_claim(claim | more, runs())
    return [getattr(number, "value", number) for number in found]


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (lambda: numbers("hit", where={"d": [2, 10]}), [1, 0, 1, 1]),
        (lambda: numbers("hit", where={"d": [3]}, trajectories=[0]), None),
        (lambda: numbers("hit", where={"d": [5]}, trajectories=[0, 1]), [0]),
        (lambda: numbers("gap", among="solved"), [0.5, -0.5, 2, 4, 0.6]),
        (lambda: numbers("gap", over="max", by="d", among="solved"), [0.6, 2, 4]),
        (lambda: numbers("hit", "share", by="d"), [2 / 3, 0.5, 1]),
        (lambda: numbers("hit", "share", by="d", differences=True), [0.5 - 2 / 3, 0.5]),
        (lambda: numbers("hit", "share", level=2), [0]),
        (lambda: numbers("gap", "mean", by="d", among="solved"), [0.2, 2, 4]),
        (lambda: numbers("gap", "median", among="solved", where={"d": [2]}), [0.5]),
        (lambda: numbers("gap", "mean", by="d", among="hit"), [0.55, 2, 4]),
        (lambda: numbers("hit", "share", by="d", among="none"), [np.nan, 0, np.nan]),
    ],
)
def test_groups_of_problems(found, expected):
    if expected is None:
        with pytest.raises(ValueError, match="no trajectory is left of series hit"):
            found()
    else:
        assert found() == pytest.approx(expected, nan_ok=True)


def test_a_share_is_judged_and_shown_with_its_interval():
    measured = {"run": "one", "series": "hit", "statistic": "share", "step": 10, "by": "d"}
    claim = {"measured": measured, "expected": {"at_least": 0.4}, "scales": ["laptop"], "data": ["embedded"]}
    verdict = judge(claim, runs(), "laptop")
    assert verdict["verdict"] == "held"
    assert verdict["interval"] == [[*wilson(2, 3)[1:3]], [*wilson(1, 2)[1:3]], [*wilson(1, 1)[1:3]]]
    assert show_intervals(verdict["interval"]) == "[0.208, 0.939] [0.0945, 0.905] [0.207, 1]"


@pytest.mark.parametrize(
    ("like", "of", "sizes", "holds"),
    [
        ([0.7], 1000, [1000], True),
        ([0.6], 1000, [1000], False),
        ([0.6], 20, [1000], True),
        ([0.6], 1000, [10], True),
        ([0.7, 0.6], [1000, 1000], [1000, 1000], False),
        ([0.7, 0.6], [1000, 10], [1000, 1000], True),
    ],
)
def test_a_share_is_like_another_unless_the_samples_tell_them_apart(like, of, sizes, holds):
    expectation = Expectation(like=like, of=of, significance=0.001)
    assert expectation.holds([0.7] * len(like), sizes) is holds
    assert str(expectation).startswith("like 0.")


def test_a_share_without_its_sample_cannot_be_compared():
    with pytest.raises(ValueError, match="0 numbers are expected, 1 were measured"):
        Expectation(like=[0.5], of=10, significance=0.01).holds([0.5])


@pytest.mark.parametrize(
    "contradiction",
    [
        {"like": [0.5]},
        {"like": [0.5], "of": 10},
        {"like": [0.5], "significance": 0.01},
        {"at_least": 0.5, "of": 10},
        {"like": [1.5], "of": 10, "significance": 0.01},
        {"like": [0.5], "of": 0, "significance": 0.01},
    ],
)
def test_contradictory_comparisons_are_refused(contradiction):
    with pytest.raises(ValidationError):
        Expectation(**contradiction)


def test_every_statistic_of_a_sample_is_an_estimate():
    for name in ("share", "mean", "median"):
        assert getattr(statistics, name)(STEPS, np.ones((2, 5)), step=10)[0] == 1

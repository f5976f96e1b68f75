"""Estimates from random samples: coverage of the intervals, pairs, power."""

import math

import numpy as np
import pytest
import scipy.stats

from attention_dynamics.series import confidence as estimates
from attention_dynamics.series.confidence import Sample, difference, estimate_mean, estimate_share, ratio

RNG = np.random.default_rng(0)


def sample(values, first=0, unit="seed"):
    """Return a sample whose draws are numbered from ``first``."""
    return Sample(np.asarray(values, dtype=float), tuple(range(first, first + len(values))), unit)


# Kind of interval -> an estimate from data whose parameter is known, and this parameter.
NULL = {
    "Student": lambda: (estimate_mean(sample(RNG.normal(3, 2, 5))), 3),
    "Student, pairs": lambda: (difference(sample(RNG.normal(0, 1, 4)), sample(RNG.normal(0, 2, 4))), 0),
    "Student, ratio": lambda: (ratio(sample(RNG.lognormal(1, 1, 6)), sample(RNG.lognormal(1, 1, 6))), 1),
    "Welch": lambda: (difference(sample(RNG.normal(0, 1, 9)), sample(RNG.normal(0, 2, 12), first=50)), 0),
    # Chance in the choice of the test examples, which all seeds share, and in the seeds.
    "Welch, accuracy": lambda: (
        estimates.estimate_accuracy(sample(RNG.binomial(200, 0.6) / 200 + RNG.normal(0, 0.03, 3)), 200),
        0.6,
    ),
    "BCa": lambda: (estimate_mean(sample(RNG.normal(-1, 2, 20))), -1),
    "BCa, geometric mean": lambda: (estimates.estimate_geometric_mean(sample(RNG.lognormal(0, 1, 30))), 1),
    "BCa, two samples": lambda: (difference(sample(RNG.normal(0, 1, 25)), sample(RNG.normal(0, 1, 20), first=50)), 0),
    "Wilson": lambda: (estimate_share(RNG.binomial(1500, 0.3), 1500, "trial"), 0.3),
}


def decided(kind, count):
    """Return the share of estimates from simulated data whose interval leaves out the true parameter."""
    return np.mean([not one.low <= truth <= one.high for one, truth in (NULL[kind]() for _ in range(count))])


@pytest.mark.slow
@pytest.mark.parametrize("kind", NULL)
@pytest.mark.parametrize(
    # Five percent +- some standard deviations, and half a percent for what the bootstrap approximates.
    ("count", "deviations"), [(400, 4), pytest.param(10_000, 3, marks=pytest.mark.long)],
)  # fmt: skip
def test_true_null_is_rejected_in_five_percent(kind, count, deviations, monkeypatch):
    monkeypatch.setattr(estimates, "RESAMPLES", 999)
    assert abs(decided(kind, count) - 0.05) < deviations * math.sqrt(0.05 * 0.95 / count) + 0.005


def test_small_samples_have_intervals_of_scipy():
    one, other = RNG.normal(size=7), RNG.normal(size=7)
    mean = estimate_mean(sample(one))
    expected = scipy.stats.ttest_1samp(one, 0)
    assert (mean.low, mean.high) == pytest.approx(tuple(expected.confidence_interval(0.95)))
    assert mean.p_value(0) == pytest.approx(expected.pvalue, abs=1e-9)
    paired = difference(sample(one), sample(other))
    expected = scipy.stats.ttest_rel(one, other)
    assert (paired.low, paired.high) == pytest.approx(tuple(expected.confidence_interval(0.95)))
    independent = difference(sample(one), sample(other[:5], first=20))
    expected = scipy.stats.ttest_ind(one, other[:5], equal_var=False)
    assert (independent.low, independent.high) == pytest.approx(tuple(expected.confidence_interval(0.95)))
    assert independent.p_value(0) == pytest.approx(expected.pvalue, abs=1e-9)


def test_ratio_is_difference_of_logarithms():
    one, other = sample(RNG.lognormal(size=8)), sample(RNG.lognormal(size=8))
    logs = difference(sample(np.log(one.values)), sample(np.log(other.values)))
    found = ratio(one, other)
    assert (found.value, found.low, found.high) == pytest.approx(tuple(np.exp([logs.value, logs.low, logs.high])))
    assert found.p_value(1) == pytest.approx(logs.p_value(0), abs=1e-9)


def test_wilson_intervals_equal_those_of_scipy():
    for size in (1, 7, 60, 1000):
        hits = np.unique(np.linspace(0, size, 61, dtype=int))
        expected = [scipy.stats.binomtest(count, size).proportion_ci(0.95, method="wilson") for count in hits]
        assert np.allclose(np.transpose(estimates.wilson_interval(hits, size)), expected, rtol=0, atol=1e-15)
        for count, interval in zip(hits.tolist(), expected, strict=True):
            found = estimate_share(count, size, "trial")
            assert (found.value, found.size) == (count / size, size)
            assert (found.low, found.high) == pytest.approx(tuple(interval), abs=1e-15)


@pytest.mark.parametrize("size", [6, 7, 20, 300])
def test_median_interval_has_exact_coverage(size):
    found = estimates.estimate_median(sample(np.arange(1.0, size + 1)))
    # P(the median lies between two order statistics), by counting how many numbers fall below it.
    below = scipy.stats.binom(size, 0.5)
    coverage = below.cdf(found.high - 1) - below.cdf(found.low - 1)
    narrower = below.cdf(found.high - 2) - below.cdf(found.low)
    assert narrower < 0.95 <= coverage


def test_one_unit_has_no_interval():
    for one in (estimate_mean(sample([2.0])), difference(sample([2.0]), sample([1.0, 3.0], first=5))):
        assert (one.low, one.high, one.method) == (-math.inf, math.inf, "")
        assert one.p_value(100) == pytest.approx(1)
        assert one.units_needed(0) is None


def test_equal_numbers_have_interval_of_no_length():
    one = estimate_mean(sample([2.0] * 30))
    assert (one.low, one.high, one.p_value(1)) == (2, 2, 0)


def test_samples_are_compared_in_pairs_or_refused():
    one, other = sample(RNG.lognormal(size=6)), sample(RNG.lognormal(size=6))
    assert difference(one, other).size == 6
    shuffled = Sample(other.values, other.draws[::-1], "seed")
    for wrong in (shuffled, sample(other.values, first=3), sample(other.values[:5])):
        for compare in (difference, ratio):
            with pytest.raises(ValueError, match="in common: compare them in pairs"):
                compare(one, wrong)
    for call, message in (
        (lambda: ratio(one, sample(-other.values)), "a ratio needs positive numbers"),
        (lambda: difference(one, sample(other.values, unit="trial")), "samples of seeds and trials cannot be compared"),
        (lambda: Sample(one.values[:2], (0,), "seed"), "a different one for each"),
        (lambda: Sample(one.values[:2], (0, 0), "seed"), "a different one for each"),
        (lambda: sample([1, np.nan]), "1 of 2 values of a sample are NaN"),
    ):
        with pytest.raises(ValueError, match=message):
            call()


def test_needed_units_decide_in_four_of_five_samples():
    pilot = estimate_mean(sample(RNG.normal(0.5, 1, 19)))
    needed = pilot.units_needed(0)
    # Samples of this size, of a population with the mean and deviation of the pilot.
    deviation = (pilot.high - pilot.low) / 2 / scipy.stats.t.ppf(0.975, 18) * math.sqrt(19)
    samples = RNG.normal(pilot.value, deviation, (1000, needed))
    rejected = scipy.stats.ttest_1samp(samples, 0, axis=1).pvalue < 0.05
    assert 0.75 < np.mean(rejected) < 0.92


def test_holm_matches_definition():
    assert estimates.holm(np.array([0.01, 0.04, 0.03, 0.005])) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert estimates.holm(np.array([0.6, 0.9])) == pytest.approx([1, 1])
    # In at most 5 % of all families one of 16 true hypotheses is rejected.
    families = [estimates.holm(RNG.uniform(size=16)).min() < 0.05 for _ in range(4000)]
    assert np.mean(families) < 0.06

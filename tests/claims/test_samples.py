"""Numbers drawn from random samples: intervals, groups of problems, two-sample tests."""

import math

import numpy as np
import pytest
import scipy.stats

from attention_dynamics.claims.expectation import at_least, check, format_intervals
from attention_dynamics.series.confidence import (
    estimate_share,
    sample_mean,
    sample_median,
    wilson_interval,
)
from attention_dynamics.series.series import Series
from attention_dynamics.series.statistics import count_above, mean, median, share_above

Z = 1.959963984540054


@pytest.mark.parametrize(("hits", "size"), [(0, 1000), (1, 1), (3, 7), (706, 1000), (1000, 1000)])
def test_wilson_interval_matches_closed_form(hits, size):
    share = hits / size
    middle = (share + Z**2 / (2 * size)) / (1 + Z**2 / size)
    half = Z / (1 + Z**2 / size) * math.sqrt(share * (1 - share) / size + Z**2 / (4 * size**2))
    estimate = estimate_share(hits, size)
    assert (estimate.value, estimate.size) == (share, size)
    assert (estimate.low, estimate.high) == pytest.approx((middle - half, middle + half), abs=1e-9)


def test_wilson_intervals_of_many_shares_equal_those_of_scipy():
    hits = np.arange(61)
    intervals = [scipy.stats.binomtest(count, 60).proportion_ci(0.95, method="wilson") for count in hits]
    assert np.array_equal(np.transpose(wilson_interval(hits, 60)), intervals)


def test_intervals_cover_estimated_parameter():
    rng = np.random.default_rng(0)
    samples = rng.exponential(size=(2000, 60))
    for estimator, truth in ((sample_mean, 1.0), (sample_median, math.log(2))):
        estimates = [estimator(sample) for sample in samples]
        assert 0.92 <= np.mean([one.low <= truth <= one.high for one in estimates]) <= 0.98
    assert sample_mean(samples[0]).value == samples[0].mean()
    assert sample_median(samples[0]).value == np.median(samples[0])


@pytest.mark.parametrize("size", [6, 7, 20, 300])
def test_median_interval_has_exact_coverage(size):
    ranks = np.arange(1.0, size + 1)
    estimate = sample_median(ranks)
    # P(the median lies between two order statistics), by counting how many numbers fall below it.
    below = scipy.stats.binom(size, 0.5)
    coverage = below.cdf(estimate.high - 1) - below.cdf(estimate.low - 1)
    narrower = below.cdf(estimate.high - 2) - below.cdf(estimate.low)
    assert narrower < 0.95 <= coverage


def test_share_of_missing_numbers_is_refused():
    for statistic in (share_above, count_above):
        with pytest.raises(ValueError, match="some values are NaN"):
            statistic(np.array([np.nan, 1.0]), 0.5)


def test_single_number_has_no_interval_and_empty_sample_no_mean():
    assert sample_mean(np.array([2.0])) == sample_median(np.array([2.0])) == (2.0, -math.inf, math.inf, 1)
    for estimator in (sample_mean, sample_median):
        with pytest.raises(ValueError, match="sample: need at least one number"):
            estimator(np.array([]))


# Six problems in dimension d, one start each.
SETTINGS = {"d": np.array([2.0, 5.0, 2.0, 5.0, 10.0, 2.0])}
HIT = np.array([1.0, 0.0, 0.0, 1.0, 1.0, 1.0])
GAP = np.array([0.5, np.nan, -0.5, 2.0, 4.0, 0.6])


def series(last):
    """Return a series that has no values before its last record."""
    return Series.of(np.array([0, 10]), np.stack([np.full(6, np.nan), last])[..., None], SETTINGS)


hit, gap, solved, unsolved = (series(last.astype(float)) for last in (HIT, GAP, np.isfinite(GAP), np.isnan(GAP)))


def values(estimates):
    return [estimate.value for estimate in estimates]


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (lambda: gap.filter(solved).at(10), [0.5, -0.5, 2, 4, 0.6]),
        (lambda: [one.filter(solved).at(10).max() for one in gap.group_by("d")], [0.6, 2, 4]),
        (lambda: values(share_above(one.at(10)) for one in hit.group_by("d")), [2 / 3, 0.5, 1]),
        (lambda: values([share_above(hit.at(10), level=2)]), [0]),
        (lambda: values(mean(one.filter(solved).at(10)) for one in gap.group_by("d")), [0.2, 2, 4]),
        (lambda: values([median(gap.where(d=2).filter(solved).at(10))]), [0.5]),
        (lambda: values(mean(one.filter(hit).at(10)) for one in gap.group_by("d")), [0.55, 2, 4]),
        (lambda: values(share_above(one.filter(unsolved).at(10)) for one in hit.group_by("d")), [np.nan, 0, np.nan]),
        (lambda: values([mean(np.array([])), median(np.array([]))]), [np.nan, np.nan]),
    ],
)
def test_problems_are_grouped(found, expected):
    assert found() == pytest.approx(expected, nan_ok=True)


def test_share_is_judged_and_shown_with_interval():
    found = check([share_above(one.at(10)) for one in hit.group_by("d")], at_least(0.4))
    assert found.verdict() == "held"
    assert found.estimates == [estimate_share(2, 3), estimate_share(1, 2), estimate_share(1, 1)]
    assert format_intervals(found.estimates) == "[0.208, 0.939] [0.0945, 0.905] [0.207, 1]"


def test_empty_sample_fails_and_has_no_interval():
    found = check([share_above(np.array([]))], at_least(0))
    assert found.verdict() == "failed"
    assert format_intervals(found.estimates) == ""

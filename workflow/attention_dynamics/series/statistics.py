"""Statistics of measured series, for claims.

Most return one number per column of the series, as an array (k,). If the columns are a sample of random problems,
``share_above``, ``mean`` and ``median`` of these k numbers return one ``Estimate``, with a confidence interval.
"Steps" are recorded steps.
"""

from collections.abc import Callable, Sequence

import numpy as np
import scipy  # Not scipy.stats: SciPy loads it on first use, and loading takes longer than judging most claims.

from attention_dynamics.problems.arrays import takes_arrays
from attention_dynamics.problems.problem import Array
from attention_dynamics.series.confidence import (
    Estimate,
    MissingValuesError,
    Sample,
    estimate_mean,
    estimate_median,
    estimate_share,
    sample_deviation,
)
from attention_dynamics.series.fits import Line, abscissa, fit_line
from attention_dynamics.series.series import Series
from attention_dynamics.types import Time

Rate = Callable[[float], float]


def table(series: Series, steps: Sequence[int]) -> Array:
    """Return the values at several steps, one step after the other, (steps * k,)."""
    return np.concatenate([series.at(step) for step in steps])


def smallest(series: Series) -> Array:
    """Return the smallest value of each column."""
    return series.values.min(0)


def largest(series: Series) -> Array:
    """Return the largest value of each column."""
    return series.values.max(0)


def smallest_increase(series: Series) -> Array:
    """Return the smallest change of each column from one recorded step to the next; >= 0 if the column never falls."""
    return np.diff(series.values, axis=0).min(0)


def largest_increase(series: Series) -> Array:
    """Return the largest change of each column from one recorded step to the next; <= 0 if the column never rises."""
    return np.diff(series.values, axis=0).max(0)


def change(series: Series, first: int, last: int) -> Array:
    """Return the values at step ``last`` minus the values at step ``first``."""
    return series.at(last) - series.at(first)


def largest_ratio(series: Series, steps: Sequence[int], times: Rate = lambda step: 1.0) -> Array:
    """Return, for each column, the largest ratio of the value at a step in ``steps`` to that at the step before it.

    For positive values, a result below 1 means that they fall. times: function of the step. Before the ratio is taken,
    each value is multiplied by this function of its step.
    Raises ValueError for fewer than two steps, and if ``times`` is not positive and finite at one of them.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        rates = np.array([times(np.float64(step)) for step in steps])
    if len(steps) < 2 or not (np.isfinite(rates) & (rates > 0)).all():
        raise ValueError(
            f"largest_ratio needs at least two steps, with a positive and finite rate at each, got {steps}"
        )
    scaled = np.array([series.at(step) for step in steps]) * rates[:, None]
    return (scaled[1:] / scaled[:-1]).max(0)


def largest_ratio_of_means(series: Series, steps: Sequence[int], times: Rate = lambda step: 1.0) -> Array:
    """Return ``largest_ratio`` for the mean over the columns, (1,)."""
    return largest_ratio(series.mean(), steps, times)


def slope(series: Series, time: Time = "linear", against: Series | None = None) -> Array:
    """Return the least-squares slope of each column over the function ``time`` of the step, or over another series."""
    return _line(series, time, against).slope


def fit_quality(series: Series, time: Time = "linear", against: Series | None = None) -> Array:
    """Return R^2 of the least-squares line of each column; the arguments are those of ``slope``."""
    return _line(series, time, against).quality


def rank_correlation(series: Series, against: Series | None = None) -> Array:
    """Return Spearman's rank correlation of each column with another series; by default, with the step."""
    others = series.steps[:, None] + np.zeros(series.values.shape) if against is None else series.match(against)
    ranks = [scipy.stats.rankdata(array, axis=0) for array in (series.values, others)]
    x, y = (rank - rank.mean(0) for rank in ranks)
    return np.asarray((x * y).sum(0) / np.sqrt((x * x).sum(0) * (y * y).sum(0)))


def first_step_above(series: Series, level: float) -> Array:
    """Return, for each column, the first step at which the value is at least ``level``; infinity if it never is."""
    reached = series.values >= level
    return np.where(reached.any(0), series.steps[reached.argmax(0)], np.inf)


def first_step_staying_above(series: Series, level: float) -> Array:
    """Return, for each column, the first step from which on all values are at least ``level``, or infinity."""
    # Written with ~, so that NaN counts as below the level.
    below = ~(series.values >= level)
    after_last = len(series.steps) - below[::-1].argmax(0)
    first = np.where(below.any(0), after_last, 0)
    return np.append(series.steps.astype(float), np.inf)[first]


def step_of_smallest(series: Series) -> Array:
    """Return, for each column, the first step at which the value is smallest; NaN if a value of the column is NaN."""
    steps = series.steps[series.values.argmin(0)].astype(float)
    return np.where(np.isnan(series.values).any(0), np.nan, steps)


@takes_arrays(empty=True)
def count_above(values: Array, level: float) -> int:
    """Return how many of the values (k,) are at or above ``level``. Raises MissingValuesError if one is NaN."""
    return int(_above(values, level).sum())


@takes_arrays(empty=True)
def share_above(values: Array, unit: str, level: float = 0.5) -> Estimate:
    """Return the share of the values (k,), one for each unit, that are at or above ``level``.

    Raises MissingValuesError if a value is NaN.
    """
    return estimate_share(count_above(values, level), len(values), unit)


@takes_arrays(empty=True)
def mean(values: Array, unit: str) -> Estimate:
    """Return the mean of the values (k,), one for each unit."""
    return estimate_mean(Sample.of(values, unit))


@takes_arrays(empty=True)
def median(values: Array, unit: str) -> Estimate:
    """Return the median of the values (k,), one for each unit."""
    return estimate_median(Sample.of(values, unit))


@takes_arrays()
def deviation(values: Array) -> float:
    """Return the standard deviation of the values (k,), with the divisor k - 1; NaN for one value."""
    return sample_deviation(values)


def _line(series: Series, time: Time, against: Series | None) -> Line:
    x = abscissa(series.steps, time)[:, None] if against is None else series.match(against)
    return fit_line(np.broadcast_to(x, series.values.shape), series.values)


def _above(values: Array, level: float) -> Array:
    if np.isnan(values).any():
        raise MissingValuesError("some values are NaN, so they cannot be compared with a level")
    return values >= level

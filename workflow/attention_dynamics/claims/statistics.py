"""Numbers drawn from a measured series. Every public function can be named as the ``statistic`` of a claim.

steps: (records,) iteration numbers; values: (records, k), one column per trajectory. ``over`` says what becomes of the
k numbers: their minimum, maximum, mean, or all of them. Where the trajectories are a sample of random problems the
result is an Estimate, with a confidence interval.
"""

import numpy as np
import scipy  # and not scipy.stats, which takes longer to load than most claims to judge: it is loaded when used
from numpy.typing import NDArray

from attention_dynamics.claims.estimate import Estimate, sample_mean, sample_median, wilson
from attention_dynamics.claims.fits import Line, abscissa, extreme, fit_line
from attention_dynamics.problems.problem import Array
from attention_dynamics.training import record_of
from attention_dynamics.types import Over, Rate, RecordedStep, RecordedSteps, SeriesName, Time, Window

Steps = NDArray[np.int64]

# Those that take all trajectories together.
TOGETHER = ("count", "deviation", "largest_ratio_of_means", "mean", "means", "median", "share")

RATES = {
    "one": lambda _: 1.0,
    "log": np.log,
    "log_to_three_quarters": lambda t: np.log(t) ** 0.75,
    "log_over_log_log": lambda t: np.log(t) / np.log(np.log(t)),
    "t_over_log_squared": lambda t: t / np.log(t) ** 2,
}


def value(steps: Steps, values: Array, *, step: RecordedStep, over: Over = "each") -> Array:
    """The values at one step."""
    return extreme(values[record_of(steps, step)], over)


def table(steps: Steps, values: Array, *, at: RecordedSteps) -> Array:
    """The values at several steps, one step after the other."""
    return values[[record_of(steps, step) for step in at]].ravel()


def smallest(steps: Steps, values: Array, *, window: Window, over: Over = "min") -> Array:
    """The smallest value in a window of steps, ends included."""
    return extreme(values[_window(steps, window)].min(0), over)


def largest(steps: Steps, values: Array, *, window: Window, over: Over = "max") -> Array:
    """The largest value in a window of steps, ends included."""
    return extreme(values[_window(steps, window)].max(0), over)


def smallest_increase(steps: Steps, values: Array, *, window: Window, over: Over = "min") -> Array:
    """The smallest change from one record to the next in a window; >= 0 where a series never falls."""
    return extreme(np.diff(values[_window(steps, window)], axis=0).min(0), over)


def change(steps: Steps, values: Array, *, window: Window, over: Over = "each") -> Array:
    """Value at the end of the window minus value at its start."""
    return extreme(_change(steps, values, window), over)


def change_ratio(steps: Steps, values: Array, *, late: Window, early: Window, over: Over = "each") -> Array:
    """Change over the late window divided by the change over the early one."""
    return extreme(_change(steps, values, late) / _change(steps, values, early), over)


def largest_increase(steps: Steps, values: Array, *, window: Window, over: Over = "max") -> Array:
    """The largest change from one record to the next in a window; <= 0 where a series never rises."""
    return extreme(np.diff(values[_window(steps, window)], axis=0).max(0), over)


def largest_ratio(steps: Steps, values: Array, *, at: RecordedSteps, times: Rate = "one", over: Over = "max") -> Array:
    """The largest ratio of a value to the one before among several steps; below 1 where they fall.

    times: what the values are multiplied with first, a function of the step.
    Raises ValueError for fewer than two steps, and for steps at which that function is not positive and finite.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        rates = np.array([RATES[times](np.float64(step)) for step in at])
    if len(at) < 2 or not (np.isfinite(rates) & (rates > 0)).all():
        raise ValueError(f"largest_ratio needs two steps or more at which {times} is positive and finite, got {at}")
    scaled = values[[record_of(steps, step) for step in at]] * rates[:, None]
    return extreme((scaled[1:] / scaled[:-1]).max(0), over)


def largest_ratio_of_means(steps: Steps, values: Array, *, at: RecordedSteps, times: Rate = "one") -> Array:
    """The same for the mean over the trajectories."""
    return largest_ratio(steps, values.mean(1, keepdims=True), at=at, times=times)


def slope(
    steps: Steps, values: Array, *, window: Window, time: Time = "linear", log: bool = False,
    against: SeriesName | None = None, over: Over = "each",
) -> Array:  # fmt: skip
    """Least-squares slope in a window. log: of the logarithm of the values.

    time: against which function of the step. against: a series that takes its place; here, its values.
    """
    return extreme(_line(steps, values, window, time, log, against).slope, over)


def fit_quality(
    steps: Steps, values: Array, *, window: Window, time: Time = "linear", log: bool = False,
    against: SeriesName | None = None, over: Over = "each",
) -> Array:  # fmt: skip
    """R^2 of the same line."""
    return extreme(_line(steps, values, window, time, log, against).quality, over)


def rank_correlation(steps: Steps, values: Array, *, window: Window, against: SeriesName | None = None,
    over: Over = "each") -> Array:  # fmt: skip
    """Spearman's rank correlation in a window of steps. against: a series; by default, the step."""
    inside = _window(steps, window)
    others = np.broadcast_to(steps[:, None], values.shape) if against is None else against
    ranks = [scipy.stats.rankdata(array[inside], axis=0) for array in (values, others)]
    x, y = (rank - rank.mean(0) for rank in ranks)
    return extreme((x * y).sum(0) / np.sqrt((x * x).sum(0) * (y * y).sum(0)), over)


def first_step(steps: Steps, values: Array, *, level: float, over: Over = "each") -> Array:
    """The first recorded step at which the value is at least ``level``; infinity where it never is."""
    reached = values >= level
    return extreme(np.where(reached.any(0), steps[reached.argmax(0)], np.inf), over)


def settles(steps: Steps, values: Array, *, level: float, over: Over = "each") -> Array:
    """The first recorded step from which on the value is at least ``level``; infinity where it is not at the end."""
    # NaN is not at the level.
    below = ~(values >= level)
    after_last = len(steps) - below[::-1].argmax(0)
    first = np.where(below.any(0), after_last, 0)
    return extreme(np.append(steps.astype(float), np.inf)[first], over)


def step_of_smallest(steps: Steps, values: Array, *, over: Over = "each") -> Array:
    """The step at which the value is smallest; NaN where one is NaN."""
    smallest = steps[values.argmin(0)].astype(float)
    return extreme(np.where(np.isnan(values).any(0), np.nan, smallest), over)


def count(steps: Steps, values: Array, *, step: RecordedStep, level: float) -> Array:
    """How many trajectories are at or above ``level`` at a step."""
    return np.array([_at_level(values[record_of(steps, step)], level).sum()], dtype=float)


def share(steps: Steps, values: Array, *, step: RecordedStep, level: float = 0.5) -> Estimate:
    """Share of the trajectories that are at or above ``level`` at a step."""
    hits = _at_level(values[record_of(steps, step)], level)
    return wilson(int(hits.sum()), hits.size)


def mean(steps: Steps, values: Array, *, step: RecordedStep) -> Estimate:
    """Mean over the trajectories at a step."""
    return sample_mean(values[record_of(steps, step)])


def deviation(steps: Steps, values: Array, *, step: RecordedStep) -> Array:
    """Sample standard deviation over the trajectories at a step (divided by their number minus one)."""
    return values[record_of(steps, step)].std(ddof=1, keepdims=True)


def means(steps: Steps, values: Array, *, at: RecordedSteps) -> Array:
    """Means over the trajectories at several steps."""
    return np.array([values[record_of(steps, step)].mean() for step in at])


def median(steps: Steps, values: Array, *, step: RecordedStep) -> Estimate:
    """Median over the trajectories at a step."""
    return sample_median(values[record_of(steps, step)])


def _line(steps: Steps, values: Array, window: Window, time: Time, log: bool, against: Array | None) -> Line:
    inside = _window(steps, window)
    x = abscissa(steps[inside], time)[:, None] if against is None else against[inside]
    y = np.log(values[inside]) if log else values[inside]
    return fit_line(np.broadcast_to(x, y.shape), y)


def _at_level(values: Array, level: float) -> NDArray[np.bool_]:
    if np.isnan(values).any():
        raise ValueError("some of the trajectories have no value there")
    return values >= level


def _window(steps: Steps, window: Window) -> NDArray[np.bool_]:
    inside = (steps >= window[0]) & (steps <= window[1])
    if not inside.any():
        raise ValueError(f"no step in {window} was recorded")
    return inside


def _change(steps: Steps, values: Array, window: Window) -> Array:
    return values[record_of(steps, window[1])] - values[record_of(steps, window[0])]

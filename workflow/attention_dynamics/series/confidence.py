"""Estimates from random samples, with two-sided 95 % confidence intervals.

The unit of a sample is the outermost thing that is drawn at random: a data set, a seed, a trial; never the steps or
inputs of one run. Means have a bootstrap interval (BCa) for 20 or more units whose values are not all equal.
For other samples they have Student's interval, and differences of independent samples have Welch's. Ratios and
geometric means have these intervals on the logarithmic scale. Shares have Wilson's interval, and medians that of the
sign test. Samples with the same draws are compared in pairs.
"""

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy  # Not scipy.stats: loading it takes longer than judging most claims. scipy.special has the quantiles.
from numpy.typing import ArrayLike

from attention_dynamics.problems.arrays import own_arrays, takes_arrays
from attention_dynamics.problems.problem import Array
from attention_dynamics.scaling import binary_scale

CONFIDENCE = 0.95
# Probability that a sample of ``Estimate.units_needed`` units decides a claim, if the effect is as estimated.
POWER = 0.8
MIN_BOOTSTRAP_UNITS = 20
RESAMPLES = 9999

# Function of the confidence that returns the lower and the upper end of the interval.
Interval = Callable[[float], tuple[float, float]]


class MissingValuesError(ValueError):
    """Error for NaN among the values, for example of a trajectory that diverged."""


@dataclass(frozen=True, eq=False)
class Sample:
    """Independent numbers: values (n,), one for each draw. draws: what was drawn, such as seeds. unit: noun for a draw.

    Raises MissingValuesError if a value is NaN. Raises ValueError if two draws are equal, or if there are not as many
    draws as values.
    """

    values: Array
    draws: tuple[Hashable, ...]
    unit: str

    def __post_init__(self) -> None:
        own_arrays(self)
        if self.values.shape != (len(self.draws),) or len(set(self.draws)) != len(self.draws):
            raise ValueError(f"draws: need a different one for each of the {self.values.size} values, got {self.draws}")
        if missing := int(np.isnan(self.values).sum()):
            raise MissingValuesError(
                f"{missing} of {len(self.values)} values of a sample are NaN: select those that are not"
            )

    @classmethod
    @takes_arrays(empty=True)
    def of(cls, values: Array, unit: str) -> "Sample":
        """Return values (n,) as a sample whose draws are numbered in their order."""
        return cls(values, tuple(range(len(values))), unit)


@dataclass(frozen=True, eq=False)
class Estimate:
    """A number estimated from a sample of ``size`` units.

    unit: noun for a unit. interval: function of the confidence that returns both ends. method: name of the interval. If
    there are too few units for an interval, the name is empty and the ends are those of all possible numbers: -inf and
    inf, or 0 and inf for a geometric mean or ratio.
    """

    value: float
    size: int
    unit: str
    method: str
    interval: Interval = field(repr=False)

    @property
    def low(self) -> float:
        """Lower end of the 95 % interval."""
        return self.interval(CONFIDENCE)[0]

    @property
    def high(self) -> float:
        """Upper end of the 95 % interval."""
        return self.interval(CONFIDENCE)[1]

    def p_value(self, bound: float) -> float:
        """Return the two-sided p-value of a bound: 1 - the largest confidence whose interval excludes it."""
        p, step = 0.0, 0.5
        for _ in range(40):
            low, high = self.interval(1 - p - step)
            if low <= bound <= high:
                p += step
            step /= 2
        return p

    def units_needed(self, bound: float) -> int | None:
        """Return the number of units with which the 95 % interval would exclude the bound with probability POWER.

        The distance from the bound is taken as estimated, and its error as normal. None if the distance is zero, or if
        there is no interval with finite ends.
        """
        half = (self.high - self.low) / 2
        effect = abs(self.value - bound)
        if not self.method or not effect or not math.isfinite(half):
            return None
        z = scipy.special.ndtri([0.5 + CONFIDENCE / 2, POWER])
        return math.ceil(self.size * (half / effect * z.sum() / z[0]) ** 2)


@takes_arrays()
def wilson_interval(hits: ArrayLike, size: int, confidence: float = CONFIDENCE) -> tuple[Array, Array]:
    """Return the lower and upper ends of Wilson's intervals for shares hits / size, of the shape of ``hits``.

    Raises ValueError unless 0 <= hits <= size.
    """
    if not (np.greater_equal(hits, 0) & np.less_equal(hits, size)).all():
        raise ValueError(f"hits: need numbers from 0 to {size}, got {hits}")
    z = scipy.special.ndtri(0.5 + confidence / 2)
    share, scale = np.asarray(hits) / size, 2 * (size + z**2)
    centre, half = (2 * size * share + z**2) / scale, z / scale * np.sqrt(4 * size * share * (1 - share) + z**2)
    return np.where(share == 0, 0, centre - half), np.where(share == 1, 1, centre + half)


def estimate_share(hits: int, size: int, unit: str) -> Estimate:
    """Return the share hits / size with Wilson's interval; NaN without an interval for an empty sample.

    Raises ValueError unless 0 <= hits <= size.
    """
    if not 0 <= hits <= size:
        raise ValueError(f"need a share of a sample, got {hits} of {size}")
    if not size:
        return Estimate(np.nan, 0, unit, "", _whole_line)

    def interval(confidence: float) -> tuple[float, float]:
        low, high = wilson_interval(hits, size, confidence)
        return float(low), float(high)

    return Estimate(hits / size, size, unit, "Wilson", interval)


def estimate_mean(sample: Sample) -> Estimate:
    """Return the mean of a sample. NaN for an empty sample.

    The interval is BCa for at least MIN_BOOTSTRAP_UNITS values that are not all equal, else Student's. For one value
    there is no interval.
    """
    return _compare_means(sample.values, None, sample.unit)


def estimate_accuracy(sample: Sample, examples: int) -> Estimate:
    """Return the mean of the accuracies of several units on the same test examples. For one unit there is no interval.

    Welch's interval adds the variance over the units and the variance over the examples, as both are random samples.
    examples: the number of test examples.
    """
    if len(sample.values) < 2:
        return estimate_mean(sample)
    value = float(sample.values.mean())
    hits = np.arange(examples) < round(value * examples)
    return Estimate(
        value, len(sample.values), sample.unit, "Welch", _student_interval(value, [sample.values, hits.astype(float)])
    )


def estimate_geometric_mean(sample: Sample) -> Estimate:
    """Return the geometric mean of a sample of positive numbers.

    Its interval is the exponential of that of the mean logarithm. Raises ValueError for a number that is not positive.
    """
    return _exponential(estimate_mean(_logarithm(sample)))


def estimate_median(sample: Sample) -> Estimate:
    """Return the median of a sample. Its interval is between two of the sorted values, by the sign test.

    With five values or fewer such an interval cannot reach 95 %, so there is no interval.
    """
    if len(sample.values) < 6:
        value = float(np.median(sample.values)) if len(sample.values) else np.nan
        return Estimate(value, len(sample.values), sample.unit, "", _whole_line)
    ordered = np.concatenate([[-np.inf], np.sort(sample.values), [np.inf]])

    def interval(confidence: float) -> tuple[float, float]:
        # The number B of the k values that are below the true median has the distribution Bin(k, 1/2). The true median
        # is between the B-th and the next of the sorted values.
        low, high = map(int, scipy.stats.binom.interval(confidence, len(sample.values), 0.5))
        return float(ordered[low]), float(ordered[high + 1])

    return Estimate(float(np.median(sample.values)), len(sample.values), sample.unit, "sign test", interval)


def difference(one: Sample, other: Sample) -> Estimate:
    """Return the mean of one sample minus the mean of another. Samples with the same draws are compared in pairs.

    Raises ValueError for samples of different units, and for samples that share only some of their draws or have the
    same draws in different orders.
    """
    if one.unit != other.unit:
        raise ValueError(f"samples of {one.unit}s and {other.unit}s cannot be compared")
    if one.draws == other.draws:
        return _compare_means(one.values - other.values, None, one.unit)
    if shared := set(one.draws) & set(other.draws):
        raise ValueError(f"both samples have {len(shared)} {one.unit}s in common: compare them in pairs")
    return _compare_means(one.values, other.values, one.unit)


def ratio(one: Sample, other: Sample) -> Estimate:
    """Return the geometric mean of one sample divided by that of another: exp of ``difference`` of their logarithms.

    Raises ValueError as ``difference``, and for a number that is not positive.
    """
    return _exponential(difference(_logarithm(one), _logarithm(other)))


def replication_gap(published: float, sample: Sample, error: float = 0) -> Estimate:
    """Return a published number minus the mean of a sample, as if the number were another unit of the same population.

    The interval is Student's prediction interval for one more unit, extended on both sides by ``error``, the error of
    reading the published number. For fewer than two units there is no interval.
    """
    size = len(sample.values)
    value = published - float(sample.values.mean())
    if size < 2:
        return Estimate(value, size, sample.unit, "", _whole_line)
    spread = float(sample_deviation(sample.values)) * math.sqrt(1 + 1 / size)

    def interval(confidence: float) -> tuple[float, float]:
        half = float(scipy.special.stdtrit(size - 1, 0.5 + confidence / 2)) * spread + error
        return value - half, value + half

    return Estimate(value, size, sample.unit, "Student", interval)


@takes_arrays(empty=True)
def holm(p_values: Array) -> Array:
    """Return p-values (k,) after Holm's correction for k comparisons."""
    order = np.argsort(p_values)
    corrected = np.maximum.accumulate(p_values[order] * np.arange(len(p_values), 0, -1))
    return np.asarray(np.minimum(corrected, 1)[np.argsort(order)])


@takes_arrays()
def student_mean(values: Array, unit: str) -> Estimate:
    """Return the mean of values (k,), one for each unit, for error bars: the interval is Student's for every k > 1."""
    if len(values) < 2:
        return estimate_mean(Sample.of(values, unit))
    value = float(values.mean())
    return Estimate(value, len(values), unit, "Student", _student_interval(value, [values]))


@takes_arrays()
def sample_deviation(sample: Array) -> float:
    """Return the standard deviation of a sample (k,), with the divisor k - 1; NaN for fewer than two numbers."""
    if len(sample) < 2:
        return np.nan
    scale = binary_scale(sample)
    return float(scale[0] * (sample / scale).std(ddof=1))


def _whole_line(_: float) -> tuple[float, float]:
    """Return (-inf, inf), the interval of an estimate without information about its error."""
    return -math.inf, math.inf


def _logarithm(sample: Sample) -> Sample:
    if not (sample.values > 0).all():
        raise ValueError(f"a ratio needs positive numbers, got {sample.values.min():g}")
    return Sample(np.log(sample.values), sample.draws, sample.unit)


def _exponential(estimate: Estimate) -> Estimate:
    def interval(confidence: float) -> tuple[float, float]:
        low, high = estimate.interval(confidence)
        return float(np.exp(low)), float(np.exp(high))

    return replace(estimate, value=float(np.exp(estimate.value)), interval=interval)


def _compare_means(one: Array, other: Array | None, unit: str) -> Estimate:
    """Return the mean of the values ``one``, minus the mean of the independent values ``other`` if they are given."""
    samples = [one] if other is None else [one, other]
    size, smallest = sum(map(len, samples)), min(map(len, samples))
    if not smallest:
        return Estimate(np.nan, size, unit, "", _whole_line)
    value = float(one.mean() - (0 if other is None else other.mean()))
    if smallest < 2:
        return Estimate(value, size, unit, "", _whole_line)
    if smallest < MIN_BOOTSTRAP_UNITS or not any(np.ptp(values) for values in samples):
        return Estimate(value, size, unit, "Student", _student_interval(value, samples))
    return Estimate(value, size, unit, "BCa", _bca_interval(samples))


def _student_interval(value: float, samples: Sequence[Array]) -> Interval:
    """Return an interval around ``value``: Student's for the mean of one sample, Welch's for two samples."""
    errors = [sample_deviation(values) / math.sqrt(len(values)) for values in samples]
    error = math.hypot(*errors)
    # Degrees of freedom by Welch and Satterthwaite; for a single sample they are its size minus one.
    squares = sum((part / error) ** 4 / (len(values) - 1) for part, values in zip(errors, samples, strict=True) if part)
    freedom = 1 / squares if squares else len(samples[0]) - 1

    def interval(confidence: float) -> tuple[float, float]:
        half = float(scipy.special.stdtrit(freedom, 0.5 + confidence / 2)) * error
        return value - half, value + half

    return interval


def _bca_interval(samples: Sequence[Array]) -> Interval:
    """Return the bias-corrected and accelerated bootstrap interval of a mean, or of the difference of two means.

    A larger confidence is passed to the bootstrap, because the variance of resampled data is smaller than that of the
    population by the factor (n - 1) / n on average (Hesterberg, "What teachers should know about the bootstrap", 2015,
    section 5.3).
    """
    smallest = min(map(len, samples))
    found: list[Any] = []

    def interval(confidence: float) -> tuple[float, float]:
        t = scipy.special.stdtrit(smallest - 1, 0.5 + confidence / 2)
        expanded = 2 * scipy.special.ndtr(math.sqrt(smallest / (smallest - 1)) * t) - 1
        if not found:
            found.append(_resample(samples, expanded))
        ends = _resample(samples, expanded, found[0]).confidence_interval
        return float(ends.low), float(ends.high)

    return interval


def _resample(samples: Sequence[Array], confidence: float, earlier: Any = None) -> Any:
    """Return the result of scipy.stats.bootstrap. earlier: a result whose resamples are used again."""

    def statistic(one: Array, *other: Array, axis: int = -1) -> Array:
        return np.asarray(one.mean(axis) - sum(values.mean(axis) for values in other))

    return scipy.stats.bootstrap(
        samples, statistic, n_resamples=RESAMPLES if earlier is None else 0, confidence_level=confidence, batch=500,
        method="BCa", vectorized=True, rng=np.random.default_rng(0), bootstrap_result=earlier,
    )  # fmt: skip

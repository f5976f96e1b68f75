"""Numbers drawn from random samples, with confidence intervals."""

from typing import NamedTuple

import numpy as np
import scipy  # and not scipy.stats, which takes longer to load than most claims to judge: it is loaded when used
from numpy.typing import ArrayLike

from attention_dynamics.problems.arrays import takes_arrays
from attention_dynamics.problems.problem import Array
from attention_dynamics.scaling import binary_scale

CONFIDENCE = 0.95
# The quantile of the standard normal distribution at 0.5 + CONFIDENCE / 2.
Z = 1.959963984540054


class Estimate(NamedTuple):
    """A number drawn from a sample, the ends of its 95 % confidence interval, and the size of the sample."""

    value: float
    low: float
    high: float
    size: int


# The estimate from an empty sample.
EMPTY_ESTIMATE = Estimate(np.nan, np.nan, np.nan, 0)


@takes_arrays()
def wilson_interval(hits: ArrayLike, size: int) -> tuple[Array, Array]:
    """Return the ends of Wilson's intervals for shares hits / size, of the shape of ``hits``.

    Raises ValueError for hits out of 0 to size.
    """
    if not (np.greater_equal(hits, 0) & np.less_equal(hits, size)).all():
        raise ValueError(f"hits: need numbers from 0 to {size}, got {hits}")
    share, scale = np.asarray(hits) / size, 2 * (size + Z**2)
    centre, half = (2 * size * share + Z**2) / scale, Z / scale * np.sqrt(4 * size * share * (1 - share) + Z**2)
    return np.where(share == 0, 0, centre - half), np.where(share == 1, 1, centre + half)


def estimate_share(hits: int, size: int) -> Estimate:
    """Return a share with Wilson's interval. Raises ValueError for an empty sample."""
    if not 0 <= hits <= size or not size:
        raise ValueError(f"need a share of a sample that is not empty, got {hits} of {size}")
    low, high = map(float, wilson_interval(hits, size))
    return Estimate(hits / size, low, high, size)


@takes_arrays()
def sample_deviation(sample: Array) -> float:
    """Return the standard deviation of a sample (k,), divided by k - 1; NaN for one number."""
    if len(sample) < 2:
        return np.nan
    scale = binary_scale(sample)
    return float(scale[0] * (sample / scale).std(ddof=1))


@takes_arrays()
def sample_mean(sample: Array) -> Estimate:
    """Return the mean of a sample (k,) with the normal interval. Raises ValueError for an empty sample."""
    # One number says nothing about its spread.
    spread = sample_deviation(sample) / np.sqrt(len(sample)) if len(sample) > 1 else np.inf
    half = Z * spread
    return Estimate(float(sample.mean()), float(sample.mean() - half), float(sample.mean() + half), len(sample))


@takes_arrays()
def sample_median(sample: Array) -> Estimate:
    """Return the median of a sample (k,), with an interval between two of its sorted values.

    With five values or fewer no such interval reaches 95 %, and the whole line is returned. Raises ValueError for an
    empty sample.
    """
    # With B ~ Bin(k, 1/2) numbers below the median, it lies between the B-th and the next of the sorted ones.
    low, high = map(int, scipy.stats.binom.interval(CONFIDENCE, len(sample), 0.5))
    ends = np.concatenate([[-np.inf], np.sort(sample), [np.inf]])[[low, high + 1]]
    return Estimate(float(np.median(sample)), *map(float, ends), len(sample))

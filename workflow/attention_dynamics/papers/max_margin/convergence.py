"""Two readings of "converges" for claims about several figures: ratios of late to early angles, and final angles."""

from dataclasses import replace

import numpy as np

from attention_dynamics.claims.expectation import at_most
from attention_dynamics.problems.problem import Array
from attention_dynamics.series.series import Series
from attention_dynamics.series.statistics import largest

# Bound, in radians, on the numerical error of an angle that is computed from a cosine in float64.
NUMERICAL_ERROR = 1e-6
# Texts of the two readings of "converges" for the statements of claims.
TURNING = (
    "largest angle to it in steps 901 to 1000 over that in steps 101 to 200, of each start, which is below 1 if it "
    "keeps turning there"
)
AT_THE_END = "angle to it in degrees at the last step, 1000, of each start"
FIVE_DEGREES = at_most(5)


def angles(cosine: Series) -> Series:
    """Return a series of angles, in radians, from a series of their cosines."""
    return replace(cosine, values=np.arccos(cosine.values.clip(-1, 1)))


def degrees_at(cosine: Series, step: int) -> Array:
    """Return the angles at a step, in degrees, (k,). cosine: series of the cosines of the angles."""
    return np.degrees(angles(cosine).at(step))


def late_over_early(series: Series, early: tuple[float, float], late: tuple[float, float]) -> Array:
    """Return the maximum in the window ``late`` divided by that in ``early``, for each of k trajectories: (k,).

    A window is its first and last step. Windows are used because an angle at a single step may be small only because
    the path crosses the limit direction there. The ratio is 0 if both maxima are below NUMERICAL_ERROR.
    """
    before, after = largest(series.during(*early)), largest(series.during(*late))
    settled = np.maximum(before, after) < NUMERICAL_ERROR
    return np.where(settled, 0, after / np.where(settled, 1, before))


def turning(cosine: Series, last: int = 1000) -> Array:
    """Return the largest angle in the last tenth of steps 1 to ``last`` divided by that in the second tenth, (k,).

    The result is 0 if both angles are below NUMERICAL_ERROR. A ratio below 1 is read as convergence.
    cosine: series of the cosines of the angles.
    """
    return late_over_early(angles(cosine), (last // 10 + 1, last // 5), (last - last // 10 + 1, last))

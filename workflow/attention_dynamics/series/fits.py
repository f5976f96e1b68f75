"""Fits of straight lines to measured series, on axes on which a theorem predicts a line."""

from typing import NamedTuple

import numpy as np

from attention_dynamics.problems.arrays import takes_arrays
from attention_dynamics.problems.problem import Array
from attention_dynamics.scaling import binary_scale
from attention_dynamics.types import Time

TIME_FUNCTIONS = {
    "linear": lambda t: t, "log": np.log, "log_log": lambda t: np.log(np.log(t)), "cube_root": np.cbrt,
}  # fmt: skip


class Line(NamedTuple):
    """Least-squares lines, one for each of k columns: slope, intercept and quality (R^2), (k,) each."""

    slope: Array
    intercept: Array
    quality: Array


@takes_arrays()
def fit_line(x: Array, y: Array) -> Line:
    """Fit a line to each column of x and y, (m, k): m points for each of k lines.

    All three numbers are NaN if all x of a column are equal. If all y are equal, only the quality, R^2, is NaN.
    """
    dx, dy = x - x.mean(0), y - y.mean(0)
    x_scale, y_scale = binary_scale(dx, 0), binary_scale(dy, 0)
    dx, dy = dx / x_scale, dy / y_scale
    with np.errstate(divide="ignore", invalid="ignore"):
        relative = (dx * dy).sum(0) / (dx * dx).sum(0)
        residual = dy - relative * dx
        quality = 1 - (residual**2).sum(0) / (dy**2).sum(0)
    slope = relative * (y_scale / x_scale)[0]
    return Line(slope, y.mean(0) - slope * x.mean(0), quality)


@takes_arrays()
def abscissa(steps: Array, time: Time) -> Array:
    """Return the function ``time`` of the steps t, (m,): t, ln t, ln ln t or the cube root of t.

    Raises ValueError if a result is not finite, as with "log" at step 0 and "log_log" at steps 0 and 1.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        values = TIME_FUNCTIONS[time](steps)
    if not np.isfinite(values).all():
        raise ValueError(f"the time scale {time!r} is not defined at step {steps[~np.isfinite(values)][0]:g}")
    return values

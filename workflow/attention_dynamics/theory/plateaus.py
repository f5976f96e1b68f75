"""Limits of y, the coordinate of p across the max-margin direction, for two competing inputs (Max-margin Fig 5)."""

import numpy as np
from numpy.typing import ArrayLike

from attention_dynamics.problems.arrays import takes_arrays
from attention_dynamics.problems.problem import Array


@takes_arrays()
def correlation_plateau(C: ArrayLike) -> Array:
    """Return y = log(C) / 2 under the correlation loss; the optimal tokens of the two inputs score C > 0 and 1."""
    return 0.5 * np.log(C)


@takes_arrays()
def logistic_plateau(C: ArrayLike) -> Array:
    """Return y = log(C (1 + e) / (1 + e^C)) / 2 under the logistic loss; C > 0 as for ``correlation_plateau``."""
    return 0.5 * (np.log(C) + np.log1p(np.e) - np.logaddexp(0.0, C))


PLATEAUS = {"correlation": correlation_plateau, "logistic": logistic_plateau}

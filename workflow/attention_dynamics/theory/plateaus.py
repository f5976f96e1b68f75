"""Limits of the transverse coordinate of Max-margin Fig 5: a competition of two inputs, solved in closed form."""

import numpy as np
from numpy.typing import ArrayLike

from attention_dynamics.problems.arrays import takes_arrays
from attention_dynamics.problems.problem import Array


@takes_arrays()
def correlation_plateau(C: ArrayLike) -> Array:
    """Return y = log(C) / 2 under the correlation loss, for the scores C > 0 of the first input and 1 of the second."""
    return 0.5 * np.log(C)


@takes_arrays()
def logistic_plateau(C: ArrayLike) -> Array:
    """Return y = log(C (1 + e) / (1 + e^C)) / 2 under the logistic loss, for the same scores."""
    return 0.5 * (np.log(C) + np.log1p(np.e) - np.logaddexp(0.0, C))


PLATEAUS = {"correlation": correlation_plateau, "logistic": logistic_plateau}

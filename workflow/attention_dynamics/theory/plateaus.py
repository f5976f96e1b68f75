"""Limits of y, the coordinate of p orthogonal to the max-margin direction, for two inputs (Max-margin Fig 5).

The optimal tokens of the inputs have the scores C > 0 and 1.
"""

import numpy as np
from numpy.typing import ArrayLike

from attention_dynamics.problems.arrays import takes_arrays
from attention_dynamics.problems.problem import Array


@takes_arrays()
def correlation_plateau(C: ArrayLike) -> Array:
    """Return y = log(C) / 2, the limit under the correlation loss, for each entry of C."""
    return 0.5 * np.log(C)


@takes_arrays()
def logistic_plateau(C: ArrayLike) -> Array:
    """Return y = log(C (1 + e) / (1 + e^C)) / 2, the limit under the logistic loss, for each entry of C."""
    return 0.5 * (np.log(C) + np.log1p(np.e) - np.logaddexp(0.0, C))


PLATEAUS = {"correlation": correlation_plateau, "logistic": logistic_plateau}

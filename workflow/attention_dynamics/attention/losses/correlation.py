"""Correlation loss, -m."""

import numpy as np

from attention_dynamics.attention.losses.loss import Loss
from attention_dynamics.problems.arrays import takes_arrays
from attention_dynamics.problems.problem import Array


class Correlation(Loss, kind="correlation"):
    """The loss -m of the margin m = Y f(X). It is not bounded from below."""

    @takes_arrays(single=True)
    def value(self, margin: Array) -> Array:
        return -margin

    @takes_arrays(single=True)
    def log_slope(self, margin: Array) -> Array:
        return np.zeros_like(margin)

    @takes_arrays(single=True)
    def log_excess(self, margin: Array, log_shortfall: Array) -> Array:
        # loss(m - x) - loss(m) is the shortfall x itself.
        return log_shortfall + np.zeros_like(margin)

"""Exponential loss, exp(-m)."""

import numpy as np

from attention_dynamics.attention.losses.log_domain import log_expm1_exp
from attention_dynamics.attention.losses.loss import Loss
from attention_dynamics.problems.arrays import takes_arrays
from attention_dynamics.problems.problem import Array


class Exponential(Loss, kind="exponential"):
    """The loss exp(-m) of the margin m = Y f(X). Its infimum is zero."""

    @takes_arrays(single=True)
    def value(self, margin: Array) -> Array:
        return np.exp(-margin)

    @takes_arrays(single=True)
    def log_slope(self, margin: Array) -> Array:
        return -margin

    @takes_arrays(single=True)
    def log_loss(self, margin: Array) -> Array:
        return -margin

    @takes_arrays(single=True)
    def log_excess(self, margin: Array, log_shortfall: Array) -> Array:
        # loss(m - x) - loss(m) is exp(-m) (exp(x) - 1), with the shortfall x.
        return log_expm1_exp(log_shortfall) - margin

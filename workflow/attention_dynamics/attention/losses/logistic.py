"""Logistic loss, log(1 + exp(-m))."""

import numpy as np

from attention_dynamics.attention.losses.log_domain import log_expm1_exp, log_log1p_exp
from attention_dynamics.attention.losses.loss import Loss
from attention_dynamics.problems.arrays import takes_arrays
from attention_dynamics.problems.problem import Array


class Logistic(Loss, kind="logistic"):
    """The loss log(1 + exp(-m)) of the margin m = Y f(X). Its infimum is zero."""

    @takes_arrays(single=True)
    def value(self, margin: Array) -> Array:
        return np.logaddexp(0.0, -margin)

    @takes_arrays(single=True)
    def log_slope(self, margin: Array) -> Array:
        return -np.logaddexp(0.0, margin)

    @takes_arrays(single=True)
    def log_loss(self, margin: Array) -> Array:
        return log_log1p_exp(-margin)

    @takes_arrays(single=True)
    def log_excess(self, margin: Array, log_shortfall: Array) -> Array:
        # loss(m - x) - loss(m) is log(1 + (exp(x) - 1) / (1 + exp(m))), with the shortfall x.
        return log_log1p_exp(log_expm1_exp(log_shortfall) - np.logaddexp(0.0, margin))

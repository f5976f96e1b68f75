"""Logistic loss, log(1 + exp(-m))."""

from typing import TYPE_CHECKING

import numpy as np

from attention_dynamics.attention.losses.log_domain import log_expm1_exp, log_log1p_exp
from attention_dynamics.problems.problem import Array

# Measures use what is below on NumPy arrays; they need not wait for torch to be imported.
if TYPE_CHECKING:
    from torch import Tensor


def loss(margin: "Tensor") -> "Tensor":
    """Loss of each margin; same shape."""
    return margin.new_zeros(()).logaddexp(-margin)


def log_slope(margin: "Tensor") -> "Tensor":
    """log(-loss'(m)) = -log(1 + exp(m)); same shape."""
    from torch.nn.functional import logsigmoid

    return logsigmoid(-margin)


def log_loss(margin: Array) -> Array:
    """log(loss(m)), also where the loss itself underflows; same shape."""
    return log_log1p_exp(-margin)


def log_excess(margin: Array, log_shortfall: Array) -> Array:
    """log(loss(m - x) - loss(m)) from log(x), for shortfalls x >= 0, without cancellation; same shape.

    The difference is log(1 + (exp(x) - 1) / (1 + exp(m))).
    """
    return log_log1p_exp(log_expm1_exp(log_shortfall) - np.logaddexp(0.0, margin))

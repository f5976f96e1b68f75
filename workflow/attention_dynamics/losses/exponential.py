"""Exponential loss, exp(-m)."""

import torch
from torch import Tensor

from attention_dynamics.losses.log_domain import log_expm1_exp
from attention_dynamics.problems.problem import Array


def loss(margin: Tensor) -> Tensor:
    """Loss of each margin; same shape."""
    return torch.exp(-margin)


def log_slope(margin: Tensor) -> Tensor:
    """log(-loss'(m)) = -m; same shape."""
    return -margin


def log_excess(margin: Array, log_shortfall: Array) -> Array:
    """log(loss(m - x) - loss(m)) from log(x), for shortfalls x >= 0, without cancellation; same shape.

    The difference is exp(-m) (exp(x) - 1).
    """
    return log_expm1_exp(log_shortfall) - margin

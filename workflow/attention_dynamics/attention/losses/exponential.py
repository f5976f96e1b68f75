"""Exponential loss, exp(-m)."""

from typing import TYPE_CHECKING

from attention_dynamics.attention.losses.log_domain import log_expm1_exp
from attention_dynamics.problems.problem import Array

# Measures use what is below on NumPy arrays; they need not wait for torch to be imported.
if TYPE_CHECKING:
    from torch import Tensor


def loss(margin: "Tensor") -> "Tensor":
    """Loss of each margin; same shape."""
    return (-margin).exp()


def log_slope(margin: "Tensor") -> "Tensor":
    """log(-loss'(m)) = -m; same shape."""
    return -margin


def log_loss(margin: Array) -> Array:
    """log(loss(m)) = -m; same shape."""
    return -margin


def log_excess(margin: Array, log_shortfall: Array) -> Array:
    """log(loss(m - x) - loss(m)) from log(x), for shortfalls x >= 0, without cancellation; same shape.

    The difference is exp(-m) (exp(x) - 1).
    """
    return log_expm1_exp(log_shortfall) - margin

"""Correlation loss, -m."""

from typing import TYPE_CHECKING

import numpy as np

from attention_dynamics.problems.problem import Array

# Measures use what is below on NumPy arrays; they need not wait for torch to be imported.
if TYPE_CHECKING:
    from torch import Tensor


def loss(margin: "Tensor") -> "Tensor":
    """Loss of each margin; same shape."""
    return -margin


def log_slope(margin: "Tensor") -> "Tensor":
    """log(-loss'(m)) = 0; same shape."""
    return margin.new_zeros(margin.shape)


def log_excess(margin: Array, log_shortfall: Array) -> Array:
    """log(loss(m - x) - loss(m)) from log(x), for shortfalls x >= 0, without cancellation; same shape.

    The difference is x itself.
    """
    return log_shortfall + np.zeros_like(margin)

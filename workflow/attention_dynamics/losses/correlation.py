"""Correlation loss, -m."""

import numpy as np
import torch
from torch import Tensor

from attention_dynamics.problems.problem import Array


def loss(margin: Tensor) -> Tensor:
    """Loss of each margin; same shape."""
    return -margin


def log_slope(margin: Tensor) -> Tensor:
    """log(-loss'(m)) = 0; same shape."""
    return torch.zeros_like(margin)


def log_excess(margin: Array, log_shortfall: Array) -> Array:
    """log(loss(m - x) - loss(m)) from log(x), for shortfalls x >= 0, without cancellation; same shape.

    The difference is x itself.
    """
    return log_shortfall + np.zeros_like(margin)

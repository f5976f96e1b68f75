"""Exponential loss, exp(-m)."""

import torch
from torch import Tensor


def loss(margin: Tensor) -> Tensor:
    """Loss of each margin; same shape."""
    return torch.exp(-margin)


def log_slope(margin: Tensor) -> Tensor:
    """log(-loss'(m)) = -m; same shape."""
    return -margin

"""Correlation loss, -m."""

import torch
from torch import Tensor


def loss(margin: Tensor) -> Tensor:
    """Loss of each margin; same shape."""
    return -margin


def log_slope(margin: Tensor) -> Tensor:
    """log(-loss'(m)) = 0; same shape."""
    return torch.zeros_like(margin)

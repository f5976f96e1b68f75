"""Logistic loss, log(1 + exp(-m))."""

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid


def loss(margin: Tensor) -> Tensor:
    """Loss of each margin; same shape."""
    return torch.logaddexp(torch.zeros_like(margin), -margin)


def log_slope(margin: Tensor) -> Tensor:
    """log(-loss'(m)) = -log(1 + exp(m)); same shape."""
    return logsigmoid(-margin)

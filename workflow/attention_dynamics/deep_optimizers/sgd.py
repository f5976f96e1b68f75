"""Stochastic gradient descent with steps of constant size (Fast rates, SGD)."""

from collections.abc import Iterable

import torch
from torch import Tensor

from attention_dynamics.types import Grid


def build(parameters: Iterable[Tensor], steps_per_epoch: int, *, lr: Grid) -> torch.optim.SGD:
    """torch.optim.SGD, without momentum."""
    return torch.optim.SGD(parameters, lr=lr)

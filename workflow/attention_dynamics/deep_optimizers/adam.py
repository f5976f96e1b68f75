"""Adam, with torch's defaults but for the learning rate."""

from collections.abc import Iterable

import torch
from torch import Tensor

from attention_dynamics.types import Grid


def build(parameters: Iterable[Tensor], steps_per_epoch: int, *, lr: Grid) -> torch.optim.Adam:
    """torch.optim.Adam."""
    return torch.optim.Adam(parameters, lr=lr)

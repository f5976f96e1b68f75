"""Adam, with the numbers that torch has by default, but for the learning rate."""

from collections.abc import Iterable

import torch
from torch import Tensor

from attention_dynamics.types import Grid


def build(parameters: Iterable[Tensor], steps_per_epoch: int, *, lr: Grid) -> torch.optim.Adam:
    """torch.optim.Adam."""
    # Torch's default on a GPU; on a CPU it takes half the time for small networks, to the same bits.
    return torch.optim.Adam(parameters, lr=lr, foreach=True)

"""Stochastic gradient descent with steps of constant size (Fast rates, SGD)."""

from collections.abc import Iterable

from torch import Tensor

from attention_dynamics.optim.deep import ClippedSGD
from attention_dynamics.types import Grid, Positive


def build(parameters: Iterable[Tensor], steps_per_epoch: int, *, lr: Grid, clip: Positive | None = None) -> ClippedSGD:
    """optim.deep.ClippedSGD, without momentum; clip: the longest gradient."""
    return ClippedSGD(parameters, lr=lr, clip=clip)

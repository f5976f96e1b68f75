"""Stochastic gradient descent with steps of constant length (Fast rates, SNGD)."""

from collections.abc import Iterable

from torch import Tensor

from attention_dynamics.optim.deep import NormalizedSGD
from attention_dynamics.types import Grid


def build(parameters: Iterable[Tensor], steps_per_epoch: int, *, lr: Grid) -> NormalizedSGD:
    """optim.deep.NormalizedSGD."""
    return NormalizedSGD(parameters, lr=lr)

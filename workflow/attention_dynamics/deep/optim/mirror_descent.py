"""l_p mirror descent (Mirror descent 1.2)."""

from collections.abc import Iterable

from torch import Tensor

from attention_dynamics.optim.deep import LpMirrorDescent
from attention_dynamics.types import Exponent, Grid


def build(parameters: Iterable[Tensor], steps_per_epoch: int, *, lr: Grid, exponent: Exponent) -> LpMirrorDescent:
    """optim.deep.LpMirrorDescent."""
    return LpMirrorDescent(parameters, lr=lr, exponent=exponent)

"""Gradient descent with a constant step size (Max-margin eq. 3)."""

from torch import Tensor

from attention_dynamics.optim.gradient import Moment, ScaledGradient, over_starts
from attention_dynamics.types import PerStart


def step(parameter: Tensor, gradient: ScaledGradient, moment: Moment, *, step_size: PerStart) -> Tensor:
    """p - step_size * gradient."""
    return parameter - over_starts(step_size, parameter) * gradient.value()

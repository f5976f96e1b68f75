"""Gradient descent with a constant step size (Max-margin eq. 3)."""

from torch import Tensor

from attention_dynamics.optim.gradient import ScaledGradient
from attention_dynamics.types import Positive


def step(parameter: Tensor, gradient: ScaledGradient, *, step_size: Positive) -> Tensor:
    """p - step_size * gradient."""
    return parameter - step_size * gradient.value()

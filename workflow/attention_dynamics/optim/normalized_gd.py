"""Normalized gradient descent: every step has the same length (Max-margin Section 4)."""

from torch import Tensor

from attention_dynamics.optim.gradient import ScaledGradient, norm, over_batch
from attention_dynamics.types import NonNegative, Positive


def step(parameter: Tensor, gradient: ScaledGradient, *, step_size: Positive, epsilon: NonNegative = 0.0) -> Tensor:
    """p - step_size * gradient / (|gradient| + epsilon).

    epsilon: the guard of published code against division by zero. With epsilon = 0 the scale cancels and is
    never formed, so the step keeps its length however small the gradient is. An exactly zero gradient leaves
    the parameter where it is.
    """
    if epsilon == 0.0:
        direction, size = gradient.direction, norm(gradient.direction)
    else:
        direction = gradient.value()
        size = norm(direction) + epsilon
    size = size.where(size > 0, 1.0)
    return parameter - step_size * direction / over_batch(size, direction)

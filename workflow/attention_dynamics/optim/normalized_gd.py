"""Normalized gradient descent: every step has the same length (Max-margin Section 4)."""

from torch import Tensor

from attention_dynamics.optim.gradient import Moment, ScaledGradient, divisor, norm, over_batch, over_starts
from attention_dynamics.types import NonNegative, PerStart


def step(
    parameter: Tensor, gradient: ScaledGradient, moment: Moment, *, step_size: PerStart, decay: NonNegative = 0.0,
    epsilon: NonNegative = 0.0,
) -> Tensor:  # fmt: skip
    """p - step_size / (t + 1)^decay * gradient / (|gradient| + epsilon), at iteration t.

    decay: 0 for steps of constant length. With 1 for W and 2/3 for the head their norms grow as Fast rates says.
    epsilon: the guard of published code against division by zero. With epsilon = 0 the scale cancels and is
    never formed, so the step keeps its length however small the gradient is. An exactly zero gradient leaves
    the parameter where it is.
    """
    if epsilon == 0.0:
        direction, size = gradient.direction, norm(gradient.direction)
    else:
        direction = gradient.value()
        size = norm(direction) + epsilon
    length = over_starts(step_size, parameter) / (moment.iteration + 1) ** decay
    return parameter - length * direction / over_batch(divisor(size), direction)

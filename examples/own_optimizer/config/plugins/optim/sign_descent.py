"""Sign descent: every coordinate moves by the same length, whatever the size of its gradient."""

from torch import Tensor

from attention_dynamics.optim.gradient import Moment, ScaledGradient, over_starts
from attention_dynamics.types import NonNegative, PerStart


def step(
    parameter: Tensor, gradient: ScaledGradient, moment: Moment, *, step_size: PerStart, decay: NonNegative = 0.0
) -> Tensor:
    """p - step_size / (t + 1)^decay * sign(gradient), at iteration t.

    The scale of the gradient, far below the smallest float late in training, is never formed.
    """
    length = over_starts(step_size, parameter) / (moment.iteration + 1) ** decay
    return parameter - length * gradient.direction.sign()

"""Sign descent: every coordinate moves by the same length, whatever the size of its gradient."""

import numpy as np

from attention_dynamics.optim.gradient import ScaledGradient, StepContext, per_start
from attention_dynamics.optim.optimizer import Optimizer, State
from attention_dynamics.problems.problem import Array
from attention_dynamics.types import NonNegative, PositivePerStart


class SignDescent(Optimizer, kind="sign_descent"):
    """Steps of the same length in every coordinate: p - step_size / (t + 1)^decay * sign(gradient), at iteration t.

    The scale of the gradient, far below the smallest float late in training, is never formed.
    """

    step_size: PositivePerStart
    decay: NonNegative = 0.0

    def update(
        self, gradient: ScaledGradient, state: State, parameter: Array, context: StepContext
    ) -> tuple[Array, State]:
        length = per_start(self.step_size, parameter) / (context.iteration + 1) ** self.decay
        return parameter - length * np.sign(gradient.direction), state

"""Gradient descent with momentum: the heavy-ball method."""

import numpy as np

from attention_dynamics.optim.gradient import ScaledGradient, StepContext, per_start
from attention_dynamics.optim.optimizer import Optimizer, State
from attention_dynamics.problems.problem import Array
from attention_dynamics.types import Fraction, PositivePerStart


class Momentum(Optimizer, kind="momentum"):
    """Heavy-ball method (Polyak 1964): velocity <- momentum * velocity + g, p <- p - step_size * velocity.

    The update is that of ``torch.optim.SGD`` with momentum and without dampening. g is the gradient at p.

    normalized: if True, g is the unit gradient. If False, g is the gradient itself, which underflows late in training;
    the parameter then slows down and stops.
    """

    step_size: PositivePerStart
    momentum: Fraction = 0.9
    normalized: bool = False

    def init(self, parameter: Array) -> State:
        return {"velocity": np.zeros_like(parameter)}

    def update(
        self, gradient: ScaledGradient, state: State, parameter: Array, context: StepContext
    ) -> tuple[Array, State]:
        g = gradient.unit() if self.normalized else gradient.value()
        velocity = self.momentum * state["velocity"] + g
        return parameter - per_start(self.step_size, parameter) * velocity, {"velocity": velocity}

"""Gradient descent with Nesterov's momentum."""

from typing import Annotated

import numpy as np
from pydantic import Field

from attention_dynamics.optim.gradient import ScaledGradient, StepContext, per_start
from attention_dynamics.optim.optimizer import Optimizer, State
from attention_dynamics.problems.problem import Array
from attention_dynamics.types import PositivePerStart


class Nesterov(Optimizer, kind="nesterov"):
    """Nesterov's method: velocity <- momentum * velocity + g, p <- p - step_size * (g + momentum * velocity).

    As ``torch.optim.SGD`` with ``nesterov=True``, where the gradient is that at the parameter itself.

    normalized: take the unit gradient for g. Without it g is the gradient itself, which underflows late in training:
    the parameter then stops, as under ``gd``.
    """

    step_size: PositivePerStart
    momentum: Annotated[float, Field(ge=0, lt=1)] = 0.9
    normalized: bool = False

    def init(self, parameter: Array) -> State:
        return {"velocity": np.zeros_like(parameter)}

    def update(
        self, gradient: ScaledGradient, state: State, parameter: Array, context: StepContext
    ) -> tuple[Array, State]:
        g = gradient.unit() if self.normalized else gradient.value()
        velocity = self.momentum * state["velocity"] + g
        step = per_start(self.step_size, parameter) * (g + self.momentum * velocity)
        return parameter - step, {"velocity": velocity}

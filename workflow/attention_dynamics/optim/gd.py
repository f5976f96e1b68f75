"""Gradient descent with a constant step size (Max-margin eq. 3)."""

from attention_dynamics.optim.gradient import ScaledGradient, StepContext, per_start
from attention_dynamics.optim.optimizer import Optimizer, State
from attention_dynamics.problems.problem import Array
from attention_dynamics.types import PositivePerStart


class GD(Optimizer, kind="gd"):
    """Gradient descent, p - step_size * gradient (Max-margin eq. 3).

    Late in training the gradient may underflow; the parameter then stays where it is.
    """

    step_size: PositivePerStart

    def update(
        self, gradient: ScaledGradient, state: State, parameter: Array, context: StepContext
    ) -> tuple[Array, State]:
        return parameter - per_start(self.step_size, parameter) * gradient.value(), state

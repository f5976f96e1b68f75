"""Gradient descent with Nesterov's momentum."""

from attention_dynamics.optim.gradient import ScaledGradient, StepContext, per_start
from attention_dynamics.optim.momentum import Momentum
from attention_dynamics.optim.optimizer import State
from attention_dynamics.problems.problem import Array


class Nesterov(Momentum, kind="nesterov"):
    """Nesterov's method: velocity <- momentum * velocity + g, p <- p - step_size * (g + momentum * velocity).

    The update is that of ``torch.optim.SGD`` with ``nesterov=True``: the gradient g is taken at p, not ahead of p.

    normalized: if True, g is the unit gradient. If False, g is the gradient itself, which underflows late in training;
    the parameter then slows down and stops.
    """

    def update(
        self, gradient: ScaledGradient, state: State, parameter: Array, context: StepContext
    ) -> tuple[Array, State]:
        g = gradient.unit() if self.normalized else gradient.value()
        velocity = self.momentum * state["velocity"] + g
        step = per_start(self.step_size, parameter) * (g + self.momentum * velocity)
        return parameter - step, {"velocity": velocity}

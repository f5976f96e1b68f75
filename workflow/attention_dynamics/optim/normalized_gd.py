"""Normalized gradient descent, whose steps do not depend on the gradient's size (Max-margin Section 4)."""

from attention_dynamics.optim.gradient import (
    ScaledGradient,
    StepContext,
    clamp_to_tiny,
    expand_trailing,
    norm,
    per_start,
)
from attention_dynamics.optim.optimizer import Optimizer, State
from attention_dynamics.problems.problem import Array
from attention_dynamics.types import NonNegative, PositivePerStart


class NormalizedGD(Optimizer, kind="normalized_gd"):
    """Steps along the unit gradient: p - step_size / (t + 1)^decay * gradient / (|gradient| + epsilon), at iteration t.

    decay: 0 for steps of constant length. With decay 1 for W and 2/3 for the head, the norms of both grow at the rates
    in Fast rates. epsilon: added to the norm, as in the published code, to avoid a division by zero. With 0 the scale
    of the gradient cancels and is never computed, so that the length of a step does not depend on this scale. An
    exactly zero gradient leaves the parameter where it is.
    """

    step_size: PositivePerStart
    decay: NonNegative = 0.0
    epsilon: NonNegative = 0.0

    def update(
        self, gradient: ScaledGradient, state: State, parameter: Array, context: StepContext
    ) -> tuple[Array, State]:
        direction = gradient.value() if self.epsilon else gradient.direction
        size = norm(direction) + self.epsilon
        length = per_start(self.step_size, parameter) / (context.iteration + 1) ** self.decay
        return parameter - length * direction / expand_trailing(clamp_to_tiny(size), direction), state

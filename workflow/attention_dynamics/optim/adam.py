"""Adam, for gradients of any size."""

import math
from typing import Self

import numpy as np
from pydantic import model_validator

from attention_dynamics.optim.gradient import (
    ScaledGradient,
    StepContext,
    clamp_to_tiny,
    expand_trailing,
    log_of,
    norm,
    per_start,
)
from attention_dynamics.optim.optimizer import Optimizer, State
from attention_dynamics.problems.problem import Array
from attention_dynamics.types import Fraction, NonNegative, PositivePerStart


class Adam(Optimizer, kind="adam"):
    """Adam (Kingma and Ba 2015): p - step_size * m / (sqrt(v) + epsilon), with bias-corrected moments m and v.

    The update is that of ``torch.optim.Adam``. The state has m and sqrt(v) divided by a common scale, and the logarithm
    of this scale, so that the moments neither underflow nor lose digits where the gradient is about exp(-margin).

    While the gradient falls faster than sqrt(beta_2)^t, as it may when margins grow, sqrt(v) is dominated by earlier,
    larger gradients, and the steps shrink.

    epsilon: added to sqrt(v). The default is that of published code: it shortens the steps once the gradient's entries
    come near 1e-8, and training soon stops. With 0 the steps do not depend on the gradient's size, and entries whose
    gradient was always zero stay where they are. With 0, beta_1^2 must not exceed beta_2, because sqrt(v) would then
    decay faster than m and the steps would diverge.
    normalized: use the unit gradient in place of the gradient.

    State: "first_moment" and "root_second_moment" (m and sqrt(v), divided by exp(log_scale)), "log_scale" (problems,
    starts), and "steps" (problems, starts), the number of steps taken.
    """

    step_size: PositivePerStart
    beta_1: Fraction = 0.9
    beta_2: Fraction = 0.999
    epsilon: NonNegative = 1e-8
    normalized: bool = False

    @model_validator(mode="after")
    def _check_decay(self) -> Self:
        if not self.epsilon and self.beta_1**2 > self.beta_2:
            raise ValueError("beta_1: its square must not exceed beta_2 when epsilon is 0")
        return self

    def init(self, parameter: Array) -> State:
        batch = parameter.shape[:2]
        return {
            "first_moment": np.zeros_like(parameter),
            "root_second_moment": np.zeros_like(parameter),
            "log_scale": np.full(batch, -np.inf, parameter.dtype),
            "steps": np.zeros(batch, dtype=np.int64),
        }

    def update(
        self, gradient: ScaledGradient, state: State, parameter: Array, context: StepContext
    ) -> tuple[Array, State]:
        # The old moments and the new gradient are expressed in the larger of their two scales. The logarithm of a scale
        # is -inf if all entries are zero.
        size = norm(gradient.direction)
        log_size = log_of(np.sign(size)) if self.normalized else log_of(size) + gradient.log_scale
        log_scale = np.maximum(state["log_scale"], log_size)
        log_scale = np.where(log_scale > -np.inf, log_scale, np.zeros_like(log_scale))
        keep = expand_trailing(np.exp(state["log_scale"] - log_scale), parameter)
        g = expand_trailing(np.exp(log_size - log_scale), parameter) * gradient.unit()
        m = self.beta_1 * keep * state["first_moment"] + (1 - self.beta_1) * g
        root_v = np.hypot(math.sqrt(self.beta_2) * keep * state["root_second_moment"], math.sqrt(1 - self.beta_2) * g)
        # The moments are rescaled in each step. Without this they would decay and underflow after a few thousand steps.
        entries = tuple(range(2, parameter.ndim))
        largest = np.maximum(np.abs(m).max(entries), root_v.max(entries))
        unit = expand_trailing(clamp_to_tiny(largest), parameter)
        m, root_v, log_scale = m / unit, root_v / unit, log_scale + log_of(largest)

        steps = state["steps"] + 1
        corrected_m = m / expand_trailing((1 - self.beta_1**steps).astype(m.dtype), m)
        corrected_root = root_v / expand_trailing(np.sqrt(1 - self.beta_2**steps).astype(m.dtype), m)
        divisor = clamp_to_tiny(corrected_root + expand_trailing(self._scaled_epsilon(log_scale), m))
        new_state = {"first_moment": m, "root_second_moment": root_v, "log_scale": log_scale, "steps": steps}
        return parameter - per_start(self.step_size, parameter) * (corrected_m / divisor), new_state

    def _scaled_epsilon(self, log_scale: Array) -> Array:
        """Return epsilon / exp(log_scale), at most the square root of the largest float, so that it cannot overflow."""
        if not self.epsilon:
            return np.zeros_like(log_scale)
        largest = math.log(np.finfo(log_scale.dtype).max) / 2
        return np.exp(np.minimum(math.log(self.epsilon) - log_scale, largest))

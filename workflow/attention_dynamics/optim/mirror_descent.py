"""Mirror descent with the potential |w|_p^p / p, entry by entry (Mirror descent, l_p-AttGD and l_p-JointGD)."""

from typing import Self

import numpy as np
from pydantic import model_validator

from attention_dynamics.optim.gradient import (
    ScaledGradient,
    StepContext,
    clamp_to_tiny,
    expand_trailing,
    norm,
    per_start,
)
from attention_dynamics.optim.optimizer import Optimizer, State
from attention_dynamics.problems.arrays import takes_arrays
from attention_dynamics.problems.problem import Array
from attention_dynamics.types import Exponents, NonNegative, PositivePerStart


class MirrorDescent(Optimizer, kind="mirror_descent"):
    """Mirror descent, m(w) <- m(w) - step_size * gradient / (|gradient|_q + epsilon) with m(w) = sign(w) |w|^(p - 1).

    exponent: p; q = p / (p - 1). For p = 2 it is (normalized) gradient descent.
    normalized: divide by the dual norm |gradient|_q + epsilon; if False, the gradient is not divided.
    epsilon: added to the norm, as in the published code, to avoid a division by zero. The iterates nearly stop once the
        gradient is much smaller than epsilon. With 0 the scale of a normalized gradient cancels and is never computed.

    An exactly zero gradient leaves the parameter where it is, up to rounding in m and its inverse.
    """

    exponent: Exponents
    step_size: PositivePerStart
    normalized: bool = True
    epsilon: NonNegative = 0.0

    @model_validator(mode="after")
    def _guards_a_division(self) -> Self:
        if self.epsilon and not self.normalized:
            raise ValueError("epsilon: applies to normalized steps only; set normalized: true, or remove epsilon")
        return self

    def update(
        self, gradient: ScaledGradient, state: State, parameter: Array, context: StepContext
    ) -> tuple[Array, State]:
        p = per_start(self.exponent, parameter)
        direction = gradient.value() if self.epsilon or not self.normalized else gradient.direction
        if self.normalized:
            direction = direction / clamp_to_tiny(entrywise_norm(direction, p / (p - 1)) + self.epsilon)
        image = signed_power(parameter, p - 1) - per_start(self.step_size, parameter) * direction
        return signed_power(image, 1 / (p - 1)), state


@takes_arrays(single=True)
def entrywise_norm(values: Array, q: float | Array) -> Array:
    """Return |values|_q for each problem and start: (problems, starts, ...) -> (problems, starts, 1, ...).

    q: a number, or (1, starts, 1, ...). Raises ValueError unless q >= 1.
    """
    if not np.all(np.asarray(q) >= 1):
        raise ValueError(f"q: need at least 1, got {q}")
    if isinstance(q, float) and q == 2:
        return expand_trailing(norm(values), values)
    entries = tuple(range(2, values.ndim))
    # The largest entry is factored out; powers of the others may then underflow without harm.
    sizes = np.abs(values)
    largest = clamp_to_tiny(sizes.max(entries, keepdims=True))
    powers = _power(sizes / largest, q)
    flat = powers.reshape(*powers.shape[:2], -1).sum(-1)
    return largest * flat.reshape(largest.shape) ** (1 / q)


@takes_arrays(single=True)
def signed_power(values: Array, exponent: float | Array) -> Array:
    """Return sign(x) |x|^exponent of every entry."""
    # For p = 2, which many figures use for comparison, the exponent p - 1 is 1 and no power is needed.
    if isinstance(exponent, float) and exponent == 1:
        return values
    return np.copysign(_power(np.abs(values), exponent), values)


def _power(values: Array, exponent: float | Array) -> Array:
    """Return values^exponent of every entry, for values >= 0. exponent: a number, or (1, starts, 1, ...)."""
    # Each start is computed separately, because NumPy has faster code for the exponents 1/2, 1 and 2 if the exponent is
    # a number and not an array.
    if isinstance(exponent, np.ndarray):
        starts = [_power(values[:, start], float(number)) for start, number in enumerate(exponent.flat)]
        return np.stack(starts, axis=1)
    # 1.5 is the exponent of the dual norm for p = 3, whose runs take longest; values * sqrt(values) takes half the time
    # of the general power.
    if exponent == 1.5:
        return values * np.sqrt(values)
    return values**exponent

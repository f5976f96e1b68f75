"""Mirror descent with the potential |w|_p^p / p, entry by entry (Mirror descent, l_p-AttGD and l_p-JointGD)."""

from torch import Tensor

from attention_dynamics.optim.gradient import Moment, ScaledGradient, divisor, over_starts
from attention_dynamics.types import Exponents, NonNegative, PerStart


def step(
    parameter: Tensor, gradient: ScaledGradient, moment: Moment, *, exponent: Exponents, step_size: PerStart,
    normalized: bool = True, epsilon: NonNegative = 0.0,
) -> Tensor:  # fmt: skip
    """The parameter whose mirror image is m(w) - step_size * gradient / (|gradient|_q + epsilon).

    m(w) = sign(w) |w|^(p - 1) with p the ``exponent``; q = p / (p - 1). For p = 2 it is (normalized) gradient descent.
    normalized: divide by the dual norm. epsilon: the guard of published code against division by zero, which freezes
    the iterates once the gradient is smaller; with 0 the scale of a normalized gradient cancels and is never formed. An
    exactly zero gradient leaves the parameter where it is. Raises ValueError for a guard without a division.
    """
    if epsilon > 0.0 and not normalized:
        raise ValueError("epsilon: guards the division of a normalized step, and this one is not normalized")
    p = over_starts(exponent, parameter)
    direction = gradient.value() if epsilon > 0.0 or not normalized else gradient.direction
    if normalized:
        direction = direction / divisor(entrywise_norm(direction, p / (p - 1)) + epsilon)
    return signed_power(signed_power(parameter, p - 1) - over_starts(step_size, parameter) * direction, 1 / (p - 1))


def entrywise_norm(values: Tensor, q: float | Tensor) -> Tensor:
    """|values|_q of each batch entry, with axes of length one for those summed over."""
    entries = tuple(range(2, values.dim()))
    # The largest entry is factored out: a large power of the others may underflow, and then does not matter.
    sizes = values.abs()
    largest = divisor(sizes.amax(entries, keepdim=True))
    return largest * power(sizes / largest, q).sum(entries, keepdim=True) ** (1 / q)


def signed_power(values: Tensor, exponent: float | Tensor) -> Tensor:
    """sign(x) |x|^exponent of every entry."""
    return power(values.abs(), exponent).copysign(values)


def power(values: Tensor, exponent: float | Tensor) -> Tensor:
    """values^exponent of every entry, for values >= 0."""
    # The dual norm of p = 3, which needs the longest runs: a root takes half the time of the general power.
    if isinstance(exponent, float) and exponent == 1.5:
        return values * values.sqrt()
    # Exponents of each start: a third of the general power's time, about 1 + |exponent * log(value)| roundings.
    if isinstance(exponent, Tensor):
        return (exponent * values.log()).exp()
    return values**exponent

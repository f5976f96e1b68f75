"""Base class of the losses."""

from typing import Literal

from attention_dynamics.problems.problem import Array
from attention_dynamics.registry import Component


class Loss(Component, packages=("attention.losses",)):
    """A decreasing function of the margin m = Y f(X).

    ``log_excess`` and ``log_loss`` are optional; ``has("log_excess")`` says whether a loss defines it. Regularization
    paths and ``risk_gap`` with a fixed head need ``log_excess``, ``risk_gap`` with a trained head needs ``log_loss``.
    """

    def value(self, margin: Array) -> Array:
        """Return the loss of each margin; same shape and precision."""
        raise NotImplementedError

    def log_slope(self, margin: Array) -> Array:
        """Return log(-loss'(m)); same shape and precision.

        It is a logarithm, because slopes underflow while the ratio of the slopes of two inputs still matters.
        """
        raise NotImplementedError

    def log_excess(self, margin: Array, log_shortfall: Array) -> Array:
        """Return log(loss(m - x) - loss(m)) from m and log(x), for shortfalls x >= 0; same shape.

        Subclasses compute it in closed form, because the difference itself cancels and underflows. Raises ValueError
        for a loss that does not define it.
        """
        raise ValueError(f"loss {self.kind!r} does not define log_excess")

    def log_loss(self, margin: Array) -> Array:
        """Return log(loss(m)), also where the loss itself underflows; same shape.

        Only losses with infimum zero define it. Raises ValueError for other losses.
        """
        raise ValueError(f"loss {self.kind!r} does not define log_loss, which needs a loss with infimum zero")

    def has(self, method: Literal["log_excess", "log_loss"]) -> bool:
        """Return whether the loss defines an optional method."""
        return getattr(type(self), method) is not getattr(Loss, method)

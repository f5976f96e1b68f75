"""Base class of the losses."""

from typing import Literal

from attention_dynamics.problems.problem import Array
from attention_dynamics.registry import Component


class Loss(Component, packages=("attention.losses",)):
    """A decreasing function of the margin m = Y f(X).

    ``log_excess`` and ``log_loss`` are optional: ask with ``loss.has("log_excess")``. Regularization paths and the risk
    above its infimum (``risk_gap``) need the first, for a trained head the second.
    """

    def value(self, margin: Array) -> Array:
        """Return the loss of each margin; same shape and precision."""
        raise NotImplementedError

    def log_slope(self, margin: Array) -> Array:
        """Return log(-loss'(m)); same shape and precision.

        The slope is taken in log form because it underflows long before its *ratio* between two inputs stops mattering.
        """
        raise NotImplementedError

    def log_excess(self, margin: Array, log_shortfall: Array) -> Array:
        """Return log(loss(m - x) - loss(m)) from m and log(x), for shortfalls x >= 0; same shape.

        It is to be computed in closed form, because the difference itself cancels and underflows. Raises ValueError
        where a loss does not define it.
        """
        raise ValueError(f"loss {self.kind!r} does not define log_excess")

    def log_loss(self, margin: Array) -> Array:
        """Return log(loss(m)), also where the loss itself underflows; same shape.

        For losses whose infimum is zero. Raises ValueError where a loss does not define it.
        """
        raise ValueError(f"loss {self.kind!r} does not define log_loss, which needs a loss with infimum zero")

    def has(self, method: Literal["log_excess", "log_loss"]) -> bool:
        """Return whether the loss defines an optional method."""
        return getattr(type(self), method) is not getattr(Loss, method)

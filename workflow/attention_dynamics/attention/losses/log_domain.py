"""Arithmetic with the logarithms of numbers that may be far below the smallest float.

This module does not use scipy.special, because its import takes longer than most measures.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.problems.problem import Array

NEGLIGIBLE_LOG = -40.0


class Signed(NamedTuple):
    """The numbers sign * exp(log), arrays of one shape; sign is -1, 0 or 1, log is -inf for zero."""

    sign: Array
    log: Array

    def sum(self) -> "Signed":
        """Return the sum over the last axis."""
        top = self.log.max(-1)
        top = np.where(np.isfinite(top), top, 0.0)
        total = signed((self.sign * np.exp(self.log - top[..., None])).sum(-1))
        return Signed(total.sign, total.log + top)


def signed(numbers: Array) -> Signed:
    """Return the signs and logarithms of ordinary numbers; same shape."""
    with np.errstate(divide="ignore"):
        return Signed(np.sign(numbers), np.log(np.abs(numbers)))


def log_sum_exp(values: Array, weights: Array | NDArray[np.bool_] | None = None) -> Array:
    """Return log(sum(weights * exp(values))) over the last axis, which is kept with length 1; -inf for a sum of zero.

    weights: all >= 0, broadcast against values; by default 1.
    """
    if weights is not None:
        values = np.where(weights > 0, values, -np.inf)
    top = values.max(-1, keepdims=True)
    top = np.where(top > -np.inf, top, 0.0)
    terms = np.exp(values - top)
    if weights is not None:
        terms = weights * terms
    with np.errstate(divide="ignore"):
        return top + np.log(terms.sum(-1, keepdims=True))


def sigmoid(x: Array) -> Array:
    """Return 1 / (1 + exp(-x)), within 16 units in the last place; same shape. NaN stays NaN."""
    with np.errstate(invalid="ignore"):
        return np.exp(-np.logaddexp(0.0, -x))


def log_expm1_exp(log_x: Array) -> Array:
    """Return log(exp(x) - 1) from log(x); same shape. It neither cancels for small x nor overflows for large x."""
    x = np.exp(log_x)
    moderate, large = np.minimum(x, 1.0), np.maximum(x, 1.0)
    relative = np.divide(np.expm1(moderate), moderate, out=np.ones_like(moderate), where=moderate > 0)
    return np.where(x > 1.0, large + np.log1p(-np.exp(-large)), log_x + np.log(relative))


def log_log1p_exp(y: Array) -> Array:
    """Return log(log(1 + exp(y))), the logarithm of the logistic loss of the margin -y; same shape."""
    # Below NEGLIGIBLE_LOG, log(1 + exp(y)) equals exp(y) to the last bit, and exp(y) may underflow.
    return np.where(y < NEGLIGIBLE_LOG, y, np.log(np.logaddexp(0.0, np.maximum(y, NEGLIGIBLE_LOG))))

"""Gradients whose size may lie far below the smallest float, and the context of a step."""

import math
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from attention_dynamics.problems.problem import Array


class ScaledGradient(NamedTuple):
    """A gradient, stored as ``exp(log_scale) * direction``.

    direction: (problems, starts, *shape of the parameter), of moderate size if the run's ``precision`` is "stable".
    log_scale: (problems, starts), natural logarithm of the scale that was factored out. If ``precision`` is "float64"
    or "float32", no scale is factored out: log_scale is 0, and direction is the gradient.

    Late in training the gradient is about exp(-margin), which underflows. The direction of the gradient is still well
    defined, and normalized methods use nothing else.
    """

    direction: Array
    log_scale: Array

    def value(self) -> Array:
        """Return the gradient itself, which is zero where ``log_scale`` is below -745 (in single precision, -103).

        Optimizers that use this value then stop. The unit gradient (``unit``) is still well defined.
        """
        return expand_trailing(np.exp(self.log_scale), self.direction) * self.direction

    def unit(self) -> Array:
        """Return the gradient divided by its Euclidean norm; zero where the gradient is zero."""
        return self.direction / expand_trailing(clamp_to_tiny(norm(self.direction)), self.direction)


class StepContext(NamedTuple):
    """Quantities of training that an optimizer may use in a step.

    iteration: number of steps taken so far. gradients: parameter name -> gradient, for every trained parameter.
    log_gap: function that returns the logarithm of the risk above its infimum, (problems, starts).
    """

    iteration: int
    gradients: Mapping[str, ScaledGradient]
    log_gap: Callable[[], Array]


def per_start(number: float | tuple[float, ...], parameter: Array) -> float | Array:
    """Return a setting in a form that broadcasts against ``parameter``, (problems, starts, ...).

    A single number is returned as it is; one number for each start becomes an array (1, starts, 1, ...).
    Raises ValueError unless there are as many numbers as starts.
    """
    if isinstance(number, tuple):
        if len(number) != parameter.shape[1]:
            raise ValueError(f"a list needs one number per start, {parameter.shape[1]} in all, got {list(number)}")
        return expand_trailing(np.array(number, parameter.dtype)[None], parameter)
    return number


def expand_trailing(batch: Array, parameter: Array) -> Array:
    """Return ``batch``, (problems, starts), with trailing axes, so that it broadcasts against ``parameter``."""
    return batch.reshape(batch.shape + (1,) * (parameter.ndim - batch.ndim))


def clamp_to_tiny(sizes: Array) -> Array:
    """Return ``sizes``, all >= 0, with 0 replaced by the smallest positive float, so that 0 / result is 0."""
    return np.maximum(sizes, _smallest(sizes.dtype))


def norm(parameter: Array) -> Array:
    """Return the Euclidean (Frobenius) norm of each batch entry: (problems, starts, ...) -> (problems, starts)."""
    entries = parameter.reshape(*parameter.shape[:2], -1)
    sizes: Array = np.sqrt(np.vecdot(entries, entries))
    # If the square of a norm overflows or underflows, the norm is computed from scaled entries. Gradients whose scale
    # is not factored out may be that large or small.
    extreme = (sizes < _smallest_with_square(sizes.dtype)) | np.isinf(sizes)
    if extreme.any():
        largest = clamp_to_tiny(np.abs(entries).max(-1))
        relative = entries / largest[..., None]
        sizes = np.where(extreme, largest * np.sqrt(np.vecdot(relative, relative)), sizes)
    return sizes


def log_of(sizes: Array) -> Array:
    """Return the natural logarithm of ``sizes``, all >= 0, in the same shape; -inf for 0, without a warning."""
    return np.log(sizes, out=np.full_like(sizes, -np.inf), where=sizes != 0)


# Cached, because looking this number up takes longer than the arithmetic of a small step.
@cache
def _smallest(dtype: np.dtype[Any]) -> np.floating[Any]:
    return np.finfo(dtype).smallest_subnormal


# The square root of the smallest normal number: squares of smaller numbers underflow or lose digits.
@cache
def _smallest_with_square(dtype: np.dtype[Any]) -> float:
    return math.sqrt(np.finfo(dtype).tiny)

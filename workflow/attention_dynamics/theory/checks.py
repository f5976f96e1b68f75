"""Checks of the arguments of closed forms and simulations."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from attention_dynamics.problems.problem import Array


def check_increasing(recorded: Sequence[int]) -> None:
    """Raise ValueError unless the steps increase, from 0 or more."""
    if list(recorded) != sorted(set(recorded)) or min(recorded, default=-1) < 0:
        raise ValueError(f"recorded steps must increase from 0 or more, got {recorded}")


def at_least(lowest: float, **named: ArrayLike) -> list[Array]:
    """Return the values as float arrays.

    Raises ValueError, naming one, unless all are finite and at least ``lowest``.
    """
    return _checked(np.greater_equal, f"at least {lowest:g}", lowest, named)


def above(lowest: float, **named: ArrayLike) -> list[Array]:
    """Return the values as float arrays.

    Raises ValueError, naming one, unless all are finite and above ``lowest``.
    """
    return _checked(np.greater, f"above {lowest:g}", lowest, named)


def _checked(holds: np.ufunc, bound: str, lowest: float, named: Mapping[str, ArrayLike]) -> list[Array]:
    arrays = [np.asarray(value, dtype=float) for value in named.values()]
    for name, array in zip(named, arrays, strict=True):
        if not np.all(np.isfinite(array) & holds(array, lowest)):
            raise ValueError(f"{name} must be finite and {bound}, got {array}")
    return arrays

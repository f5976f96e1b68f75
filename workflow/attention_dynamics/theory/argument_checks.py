"""Checks of the arguments of closed forms and simulations."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from attention_dynamics.problems.arrays import as_array
from attention_dynamics.problems.problem import Array


def require_at_least(lowest: float, **named: ArrayLike) -> list[Array]:
    """Return the named values as float arrays, in the order of the arguments.

    Raises ValueError, with the name of the argument, if a value is not finite or is below ``lowest``.
    """
    return _check(np.greater_equal, f"at least {lowest:g}", lowest, named)


def require_above(lowest: float, **named: ArrayLike) -> list[Array]:
    """Return the named values as float arrays, in the order of the arguments.

    Raises ValueError, with the name of the argument, if a value is not finite or is not above ``lowest``.
    """
    return _check(np.greater, f"above {lowest:g}", lowest, named)


def _check(holds: np.ufunc, bound: str, lowest: float, named: Mapping[str, ArrayLike]) -> list[Array]:
    arrays = [as_array(name, value) for name, value in named.items()]
    for name, array in zip(named, arrays, strict=True):
        if not np.all(np.isfinite(array) & holds(array, lowest)):
            raise ValueError(f"{name} must be finite and {bound}, got {array}")
    return arrays

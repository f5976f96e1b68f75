"""Checks of the arrays that a caller of the library hands over."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def check_array(name: str, given: ArrayLike, axes: Sequence[str], sizes: Sequence[int | None]) -> NDArray[Any]:
    """Return an array. Raises ValueError, naming it, unless it holds finite numbers and has the expected shape.

    axes: names of the axes, for the message; sizes: their lengths, or None where any length will do but 0.
    """
    expected = ", ".join(axis if size is None else f"{axis} = {size}" for axis, size in zip(axes, sizes, strict=True))
    try:
        array = np.asarray(given)
    except ValueError:
        raise ValueError(f"{name}: need an array ({expected}), got rows of different lengths") from None
    if array.ndim != len(sizes) or any(
        have != want if want is not None else have == 0 for have, want in zip(array.shape, sizes, strict=True)
    ):
        raise ValueError(f"{name}: need an array ({expected}), got shape {array.shape}")
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{name}: need numbers, got an array of {array.dtype}")
    if not np.isfinite(array).all():
        raise ValueError(f"{name}: not all numbers are finite")
    return array


def check_increasing(recorded: Sequence[int]) -> None:
    """Raise ValueError unless there are steps, whole numbers that increase from 0 or more."""
    steps = np.asarray(recorded)
    if steps.ndim != 1 or steps.dtype.kind not in "iu" or not len(steps) or steps[0] < 0 or (np.diff(steps) <= 0).any():
        raise ValueError(f"recorded steps must increase from 0 or more, got {recorded}")

"""Where training starts: points, or a grid of them. Torch-free, so that a configuration can count them."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from attention_dynamics.problems.problem import Array


def starting_points(start: Sequence[Sequence[float]] | Mapping[str, Any]) -> Array:
    """Points (starts, m) from a list of points, or from a grid {x: [low, high], y: [low, high], spacing}.

    The grid includes both ends where the spacing divides the interval. Raises ValueError for points of mixed lengths.
    """
    if not isinstance(start, Mapping):
        return np.array(start, dtype=float)
    x, y = (_ticks(*start[axis], start["spacing"]) for axis in ("x", "y"))
    return np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)


def _ticks(low: float, high: float, spacing: float) -> Array:
    return low + spacing * np.arange(int((high - low) / spacing + 1e-9) + 1)

"""Where training starts: points, a grid or a circle of them. Torch-free, so that a configuration can count them."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from attention_dynamics.problems.problem import Array

# In place of points: those that the problem provides, which differ between the problems of a batch.
OF_PROBLEM = "problem"


def starting_points(start: Sequence[Sequence[float]] | Mapping[str, Any]) -> Array:
    """Points (starts, m) from a list of points, a grid {x: [low, high], y: [low, high], spacing}, or a circle
    {radius, every: degrees}.

    The grid includes both ends where the spacing divides the interval; the circle begins at (radius, 0).
    Raises ValueError for points of mixed lengths.
    """
    if not isinstance(start, Mapping):
        return np.array(start, dtype=float)
    if "every" in start:
        angles = np.radians(np.arange(0, 360, start["every"]))
        return start["radius"] * np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    x, y = (_ticks(*start[axis], start["spacing"]) for axis in ("x", "y"))
    return np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)


def _ticks(low: float, high: float, spacing: float) -> Array:
    return low + spacing * np.arange(int((high - low) / spacing + 1e-9) + 1)

"""Where training starts: points, a grid or a circle of them. Torch-free, so that a configuration can count them."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from attention_dynamics.problems.problem import Array


def starting_points(start: Sequence[Sequence[float]] | Mapping[str, Any], provided: Array | None = None) -> Array:
    """Points (starts, m) from a list of points, a grid {x: [low, high], y: [low, high], spacing}, a circle
    {radius, every: degrees}, or {of_problem: [indices]}, those that the problem provides, (P, starts, m).

    The grid includes both ends where the spacing divides the interval; the circle begins at (radius, 0).
    provided: the problem's own, (P, starts, m). Raises ValueError for points of mixed lengths.
    """
    if not isinstance(start, Mapping):
        return np.array(start, dtype=float)
    if "of_problem" in start:
        return provided[:, start["of_problem"]]
    if "every" in start:
        angles = np.radians(np.arange(0, 360, start["every"]))
        return start["radius"] * np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    x, y = (_ticks(*start[axis], start["spacing"]) for axis in ("x", "y"))
    return np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)


def _ticks(low: float, high: float, spacing: float) -> Array:
    return low + spacing * np.arange(int((high - low) / spacing + 1e-9) + 1)

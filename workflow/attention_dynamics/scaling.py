"""Scaling by powers of two, so that the squares of large and small numbers stay in the floating-point range.

A power of two changes no digit: a result that would have been in range anyway keeps its bits.
"""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Axis = int | tuple[int, ...] | None


def binary_scale(values: Array, axis: Axis = -1) -> Array:
    """Return the largest power of two that is at most the maximum of |values| over ``axis``, whose length becomes 1.

    The result is 1 where all entries are zero, and where an entry is not finite.
    """
    largest = np.maximum(values.max(axis, keepdims=True, initial=0), -values.min(axis, keepdims=True, initial=0))
    has_scale = (largest > 0) & np.isfinite(largest)
    exponent = np.frexp(np.where(has_scale, largest, 1))[1] - 1
    return np.ldexp(np.ones_like(largest), exponent)


def euclidean_norm(values: Array, axis: Axis = -1, keepdims: bool = False) -> Array:
    """Return Euclidean (Frobenius) norms over the axes ``axis``, also if squares of entries are out of range."""
    scale = binary_scale(values, axis)
    norms: Array = scale * np.sqrt(np.square(values / scale).sum(axis, keepdims=True))
    return norms if keepdims else norms.squeeze(axis)


def unit_vectors(values: Array) -> Array:
    """Return vectors, (..., d), divided by their Euclidean norms; NaN for a zero vector."""
    scaled = values / binary_scale(values)
    size = np.sqrt(np.square(scaled).sum(-1, keepdims=True))
    return scaled / np.where(size > 0, size, np.nan)

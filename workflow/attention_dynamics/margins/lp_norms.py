"""The l_p norm and its mirror map, entry by entry (Mirror descent, Section 1.2)."""

import numpy as np
from numpy.typing import ArrayLike

from attention_dynamics.problems.problem import Array


def lp_norm(values: Array, exponent: ArrayLike) -> Array:
    """|x|_p over the last axis, (...), also where |x|^p would overflow. exponent: p, broadcast against the result."""
    p = np.asarray(exponent, dtype=float)
    largest = np.abs(values).max(-1, initial=0.0)
    relative = np.abs(values) / np.where(largest > 0, largest, 1.0)[..., None]
    return largest * (relative ** p[..., None]).sum(-1) ** (1 / p)


def mirror_image(values: Array, exponent: ArrayLike) -> Array:
    """sign(x) |x|^(p-1), entrywise: the gradient of |x|_p^p / p; its inverse is the same with q = p / (p - 1) for p.

    exponent: p, broadcast against all but the last axis of ``values``.
    """
    return np.sign(values) * np.abs(values) ** (np.asarray(exponent, dtype=float)[..., None] - 1)

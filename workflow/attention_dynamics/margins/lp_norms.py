"""The l_p norm and its mirror map, entry by entry (Mirror descent)."""

import numpy as np
from numpy.typing import ArrayLike

from attention_dynamics.problems.arrays import takes_arrays
from attention_dynamics.problems.problem import Array


@takes_arrays(empty=True)
def lp_norm(values: Array, exponent: ArrayLike) -> Array:
    """Return |x|_p over the last axis of ``values``, (...). The powers are scaled, so that they do not overflow.

    exponent: p, broadcast against the result.
    """
    p = np.asarray(exponent, dtype=float)
    largest = np.abs(values).max(-1, initial=0.0)
    relative = np.abs(values) / np.where(largest > 0, largest, 1.0)[..., None]
    norm: Array = largest * (relative ** p[..., None]).sum(-1) ** (1 / p)
    return norm


@takes_arrays()
def mirror_image(values: Array, exponent: ArrayLike) -> Array:
    """Return sign(x) |x|^(p-1), entry by entry: the gradient of |x|_p^p / p.

    The inverse map is ``mirror_image`` with the exponent q = p / (p - 1).
    exponent: p, broadcast against all but the last axis of ``values``.
    """
    image: Array = np.sign(values) * np.abs(values) ** (np.asarray(exponent, dtype=float)[..., None] - 1)
    return image

"""Which iterates of a run are recorded. Torch-free, so that a configuration can be checked with it."""

import numpy as np
from numpy.typing import NDArray


def recorded_steps(steps: int, record_every: int = 1, record_digits: int | None = None) -> list[int]:
    """Iterates of a run of ``steps``, in increasing order, the first and the last included.

    record_every: its multiples. record_digits: instead, those with so many significant digits at most, which is about
    evenly on a logarithmic axis: with one digit 0, 1, ..., 9, 10, 20, ..., 90, 100, 200, ...
    """
    if record_digits is None:
        return sorted({*range(0, steps + 1, record_every), steps})
    spacings = (10**k for k in range(len(str(steps))))
    decades = (range(0, min(spacing * 10**record_digits, steps) + 1, spacing) for spacing in spacings)
    return sorted({steps}.union(*decades))


def record_of(steps: NDArray[np.int64], step: int) -> int:
    """Index of the record of an iteration. steps: (records,). Raises ValueError where it was not recorded."""
    found = np.flatnonzero(steps == step)
    if not len(found):
        raise ValueError(f"step {step} was not recorded")
    return int(found[0])

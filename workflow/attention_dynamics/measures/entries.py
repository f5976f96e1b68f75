"""Two entries of W, as figures of its path through a plane show them."""

from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.types import Cell

SERIES = ("first_entry", "second_entry")


def measure(run: Run, *, first: Cell, second: Cell) -> dict[str, Array]:
    """first, second: row and column of the entry, counted from 0. Raises ValueError where p is no square matrix."""
    p = run.trajectory["p"]
    d = round(p.shape[-1] ** 0.5)
    if d * d != p.shape[-1] or max(*first, *second) >= d:
        raise ValueError(f"entries {first} and {second} of a vector with {p.shape[-1]} coordinates")
    return {"first_entry": p[..., first[0] * d + first[1]], "second_entry": p[..., second[0] * d + second[1]]}

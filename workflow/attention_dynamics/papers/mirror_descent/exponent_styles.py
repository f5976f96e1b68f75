"""Exponent p of a run of mirror descent, and line styles by exponent."""

from typing import Any

from attention_dynamics.run import Run

DASHES = {1.75: (0, (5, 2)), 2.0: (0, (1, 1.2)), 3.0: "-"}


def exponent(run: Run) -> float:
    """Return p of a run's mirror descent, or of the l_p balls of a regularization path.

    Raises ValueError for a run with an exponent for each start.
    """
    # A regularization path has no optimizer; its training has the exponent.
    p = getattr(run.training, "optimizer", run.training).exponent
    if isinstance(p, tuple):
        raise ValueError("this plot shows runs with a single exponent")
    return float(p)


def dashes(p: float) -> Any:
    """Return the line style of an exponent."""
    return DASHES.get(p, "-")

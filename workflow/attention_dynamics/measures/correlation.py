"""Cosine between a parameter and each reference direction for it: <p, p_mm> / (|p| |p_mm|); 0 at the origin."""

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run

SERIES = ("correlation_{reference}",)


def measure(run: Run) -> dict[str, Array]:
    """One series per reference that is about a recorded parameter (p, or v for a label SVM)."""
    return {
        f"correlation_{name}": cosine(run.trajectory[parameter], reference["direction"])
        for name, reference in run.references.items()
        if (parameter := str(reference["parameter"])) in run.trajectory
    }


def cosine(parameter: Array, direction: NDArray) -> Array:
    """(records, problems, starts, d) against unit vectors (problems, d) -> (records, problems, starts)."""
    size = np.linalg.norm(parameter, axis=-1)
    return (parameter * direction[:, None, :]).sum(-1) / np.where(size > 0, size, 1.0)

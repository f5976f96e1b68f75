"""Cosine between a parameter and each reference direction for it."""

import numpy as np

from attention_dynamics.measures.measure import Measure
from attention_dynamics.problems.arrays import takes_arrays
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.scaling import binary_scale


class Correlation(Measure, kind="correlation"):
    """Cosine <p, p_mm> / (|p| |p_mm|) of p (or W, or v for a label SVM) with each reference p_mm; 0 if p = 0."""

    series = ("correlation_{reference}",)

    def measure(self, run: Run) -> dict[str, Array]:
        return {
            f"correlation_{name}": cosine(run.trajectory[parameter], reference["direction"])
            for name, reference in run.references.items()
            if (parameter := run.parameter(name))
        }


@takes_arrays()
def cosine(parameter: Array, direction: Array) -> Array:
    """Return cosines of a parameter with unit vectors, (records, problems, starts); 0 where the parameter is zero.

    parameter: (records, problems, starts, d). direction: (problems, d), the unit vectors.
    """
    scaled = parameter / binary_scale(parameter)
    size = np.linalg.norm(scaled, axis=-1)
    cosines: Array = (scaled * direction[:, None, :]).sum(-1) / np.where(size > 0, size, 1.0)
    return cosines

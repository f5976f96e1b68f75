"""Cosine between a parameter and each reference direction for it."""

import numpy as np

from attention_dynamics.measures.measure import Measure
from attention_dynamics.problems.arrays import takes_arrays
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.scaling import binary_scale


class Correlation(Measure, kind="correlation"):
    """<p, p_mm> / (|p| |p_mm|) for every reference p_mm of a recorded parameter p (v for a label SVM); 0 if p = 0."""

    series = ("correlation_{reference}",)

    def measure(self, run: Run) -> dict[str, Array]:
        return {
            f"correlation_{name}": cosine(run.trajectory[parameter], reference["direction"])
            for name, reference in run.references.items()
            if (parameter := run.parameter(name))
        }


@takes_arrays()
def cosine(parameter: Array, direction: Array) -> Array:
    """Return cosines, (records, problems, starts), of a parameter with unit vectors; 0 for a parameter that is zero.

    parameter: (records, problems, starts, d). direction: (problems, d).
    """
    scaled = parameter / binary_scale(parameter)
    size = np.linalg.norm(scaled, axis=-1)
    cosines: Array = (scaled * direction[:, None, :]).sum(-1) / np.where(size > 0, size, 1.0)
    return cosines

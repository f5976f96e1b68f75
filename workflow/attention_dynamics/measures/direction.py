"""Distance of a parameter from each reference direction, without cancellation (Fast rates Theorems 1, 3, 4)."""

import numpy as np

from attention_dynamics.measures.measure import Measure
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.scaling import euclidean_norm, unit_vectors


class Direction(Measure, kind="direction"):
    """Four series for a recorded parameter p (v for a label SVM) and every reference p_mm for it.

    distance: |p / |p| - p_mm / |p_mm||. misalignment: 1 - cosine = distance^2 / 2. Both are NaN where p = 0.
    scaled_norm: |p| / |p_mm|. scaled_path: the sum of |p - p at the previous record| / |p_mm| over the records so far.
    """

    series = ("distance_{reference}", "misalignment_{reference}", "scaled_norm_{reference}", "scaled_path_{reference}")

    def measure(self, run: Run) -> dict[str, Array]:
        series: dict[str, Array] = {}
        for name, reference in run.references.items():
            if not (parameter := run.parameter(name)):
                continue
            values = run.trajectory[parameter]
            distance = np.linalg.norm(unit_vectors(values) - reference["direction"][:, None], axis=-1)
            lengths = euclidean_norm(np.diff(values, axis=0, prepend=values[:1]))
            norm = reference["norm"][:, None]
            series |= {
                f"distance_{name}": distance,
                f"misalignment_{name}": distance**2 / 2,
                f"scaled_norm_{name}": euclidean_norm(values) / norm,
                f"scaled_path_{name}": lengths.cumsum(0) / norm,
            }
        return series

"""Distance from the solutions of ATT-SVM' (Max-margin Theorem 8): dist(p(R) / (Xi R), G_mm), where Xi = 1 / |p_mm|."""

import numpy as np

from attention_dynamics.measures.measure import Measure
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.scaling import binary_scale, euclidean_norm
from attention_dynamics.types import ReferenceNames

LENGTH_TOLERANCE = 1e-6


class SolutionDistance(Measure, kind="solution_distance"):
    """Distance of |p_mm| p / |p| from the nearest solution p_mm of ATT-SVM' (``tied_svm``); |p_mm| where p = 0.

    references: SVM solutions for p, one for each choice of tokens. Only the shortest of them, up to 1e-6 of their norm
    |p_mm|, solve ATT-SVM'. Longer ones are ignored.
    """

    series = ("solution_distance",)

    references: ReferenceNames

    def measure(self, run: Run) -> dict[str, Array]:
        """Return the series.

        Raises ValueError for a reference that is not a direction of p.
        Raises ValueError if no reference is feasible for one of the problems.
        """
        tables = [run.references[name] for name in self.references]
        for name, table in zip(self.references, tables, strict=True):
            if table["parameter"] != "p":
                raise ValueError(f"solution_distance: reference {name} is not a direction of p")
        norms = np.stack([np.where(table["feasible"], table["norm"], np.inf) for table in tables])
        shortest = norms.min(0)
        if not np.isfinite(shortest).all():
            raise ValueError("solution_distance: every reference is infeasible for one of the problems")
        p = run.prompt
        p = p / binary_scale(p)
        size = np.linalg.norm(p, axis=-1, keepdims=True)
        scaled = shortest[:, None, None] * p / np.where(size > 0, size, 1.0)
        solves = norms <= shortest * (1 + LENGTH_TOLERANCE)
        distances = [
            np.where(one[:, None], euclidean_norm(scaled - table["weights"][:, None, :]), np.inf)
            for one, table in zip(solves, tables, strict=True)
        ]
        return {"solution_distance": np.min(distances, axis=0)}

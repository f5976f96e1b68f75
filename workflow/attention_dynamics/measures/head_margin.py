"""The margin of a trained head on the optimal tokens, relative to the largest possible one (Fast rates Theorem 4)."""

import numpy as np

from attention_dynamics.measures.measure import Measure
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.scaling import binary_scale
from attention_dynamics.types import ReferenceName


class HeadMargin(Measure, kind="head_margin"):
    """The margin of the trained head u (the parameter v) on the optimal tokens, relative to that of the label SVM.

    reference: the label SVM u_mm of the optimal tokens.
    head_margin: |u_mm| min_i Y_i u'x_i,optimal / |u|, at most 1. head_margin_shortfall: 1 - head_margin.
    """

    series = ("head_margin", "head_margin_shortfall")

    reference: ReferenceName

    def measure(self, run: Run) -> dict[str, Array]:
        """Return the series.

        Raises ValueError for a run that trains no head, and for a reference that is not a direction of v.
        """
        if "v" not in run.trajectory:
            raise ValueError("head_margin needs a run that trains the head")
        solved = run.references[self.reference]
        if solved["parameter"] != "v":
            raise ValueError(f"head_margin needs a reference for v, {self.reference} is one for {solved['parameter']}")
        problem, u = run.problem, run.trajectory["v"]
        u = u / binary_scale(u)
        best = np.take_along_axis(problem.tokens, problem.optimal[..., None, None], axis=2)[:, :, 0]
        margins = problem.labels[:, None] * (u @ best.swapaxes(1, 2))
        ratio = margins.min(-1) / np.linalg.norm(u, axis=-1) * solved["norm"][:, None]
        return {"head_margin": ratio, "head_margin_shortfall": 1 - ratio}

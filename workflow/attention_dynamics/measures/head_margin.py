"""The margin of a trained head on the optimal tokens, relative to the largest possible one (Fast rates Theorem 4)."""

import numpy as np

from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.types import ReferenceName

SERIES = ("head_margin", "head_margin_shortfall")


def measure(run: Run, *, reference: ReferenceName) -> dict[str, Array]:
    """head_margin: min_i Y_i u'x_i,optimal / |u| times |u_mm|; at most one. head_margin_shortfall: one minus that.

    reference: the label SVM u_mm. Raises ValueError for a run that trains no head, and for
    a reference that is about another parameter.
    """
    if "v" not in run.trajectory:
        raise ValueError("head_margin needs a run that trains the head")
    if run.references[reference]["parameter"] != "v":
        raise ValueError(
            f"head_margin needs a label SVM, {reference} is about {run.references[reference]['parameter']}"
        )
    problem, u = run.problem, run.trajectory["v"]
    best = np.take_along_axis(problem.tokens, problem.optimal[..., None, None], axis=2)[:, :, 0]
    margins = problem.labels[:, None] * (u @ best.swapaxes(1, 2))
    ratio = margins.min(-1) / np.linalg.norm(u, axis=-1) * run.references[reference]["norm"][:, None]
    return {"head_margin": ratio, "head_margin_shortfall": 1 - ratio}

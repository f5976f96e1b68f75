"""Logistic probability of the selected tokens in joint training (Mirror descent, joint optimization)."""

import numpy as np

from attention_dynamics.attention.losses.log_domain import sigmoid
from attention_dynamics.measures.measure import Measure
from attention_dynamics.measures.products import products
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run


class SelectedLogistic(Measure, kind="selected_logistic"):
    """Mean over the inputs of 1 / (1 + exp(-Y_i v'x_i,selected)).

    At a record, the selected tokens are those of this record and the head v is that of the next record, because the
    published code evaluates v after its step. NaN at the last record.
    """

    series = ("selected_logistic",)

    def measure(self, run: Run) -> dict[str, Array]:
        """Return the series. Raises ValueError for a run that trains no head or skips iterations in its records."""
        if "v" not in run.trajectory:
            raise ValueError("selected_logistic needs a run that trains the head")
        if (np.diff(run.steps) > 1).any():
            raise ValueError("selected_logistic needs every iterate recorded: record_every: 1")
        problem = run.problem
        selected = products(problem.keys, run.prompt).argmax(-1)[..., None]
        scores = problem.labels[:, None, :, None] * products(problem.tokens, run.trajectory["v"])
        after = np.full_like(scores, np.nan)
        after[:-1] = scores[1:]
        probability = sigmoid(np.take_along_axis(after, selected, -1)[..., 0])
        return {"selected_logistic": probability.mean(-1)}

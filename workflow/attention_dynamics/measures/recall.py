"""Recall of the distinct tokens at a threshold on attention (Scan and snap Figs 11 and 12)."""

import numpy as np

from attention_dynamics.measures.measure import Measure
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.sequences.token_composition import recall
from attention_dynamics.types import NonNegatives


class Recall(Measure, kind="recall"):
    """Recall of the distinct tokens (``sequences.token_composition.recall``) at several thresholds.

    thresholds: in units of 1 / M, for M tokens.
    recall: mean over the query tokens, (records, problems, pairs of learning rates, thresholds).
    recall_drop: recall at the first threshold minus recall at the last, (records, problems, pairs).
    recall_threshold: the thresholds as probabilities (divided by M), in the shape of ``recall``.
    """

    series = ("recall", "recall_drop", "recall_threshold")
    data = ("sequences",)

    thresholds: NonNegatives

    def measure(self, run: Run) -> dict[str, Array]:
        classes = run.problem.classes
        levels = np.array(self.thresholds) / classes.probabilities.shape[1]
        values = recall(classes, run.trajectory["Z"], levels)
        return {
            "recall": values,
            "recall_drop": values[..., 0] - values[..., -1],
            "recall_threshold": np.broadcast_to(levels, values.shape).copy(),
        }

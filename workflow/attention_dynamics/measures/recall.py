"""Recall of the distinct tokens at a threshold on attention (Scan and snap Figs 11 and 12)."""

import numpy as np

from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.sequences.composition import recall
from attention_dynamics.types import NonNegatives

SERIES = ("recall", "recall_drop", "recall_threshold")
DATA = ("sequences",)


def measure(run: Run, *, thresholds: NonNegatives) -> dict[str, Array]:
    """thresholds: in units of 1 / M.

    recall: (records, P, pairs of learning rates, thresholds); mean over the query tokens.
    recall_drop: at the first threshold minus at the last, (records, P, pairs). recall_threshold: the thresholds, in
    probability.
    """
    classes = run.problem.classes
    levels = np.array(thresholds) / classes.probabilities.shape[1]
    values = recall(classes, run.trajectory["Z"], levels)
    return {
        "recall": values,
        "recall_drop": values[..., 0] - values[..., -1],
        "recall_threshold": np.broadcast_to(levels, values.shape).copy(),
    }

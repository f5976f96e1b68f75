"""Shares of weights near zero in networks of any width (histograms of the vision transformer)."""

import numpy as np

from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run

# Share of the published initial weights with |w| < 0.01. They are uniform in [-1 / sqrt(512), 1 / sqrt(512)].
START_SHARE = 0.226


def bins_near_zero(run: Run) -> int:
    """Return the number of bins, from zero on, that count as near zero.

    The number is chosen so that these bins have a share of the initial weights nearest to START_SHARE, over the keys,
    queries and values of all seeds. For the published width, 512, the bins end at 0.01.
    """
    counts = sum(run.series[f"weight_counts_{matrix}"][0].sum((0, 1)) for matrix in "kqv")
    shares = np.cumsum(counts) / np.sum(counts)
    return int(np.abs(shares - START_SHARE).argmin()) + 1


def share_near_zero(run: Run, matrix: str) -> Array:
    """Return the share of the weights of a matrix ("k", "q" or "v") that are near zero, (records, seeds)."""
    counts = run.series[f"weight_counts_{matrix}"][:, 0]
    return np.asarray(counts[..., : bins_near_zero(run)].sum(-1) / counts.sum(-1))

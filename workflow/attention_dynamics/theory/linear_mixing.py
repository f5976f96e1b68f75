"""Bounds on the cost of mixing in non-optimal tokens, for a linear head and the logistic loss (Max-margin Lemma 14)."""

import numpy as np

from attention_dynamics.problems.arrays import takes_arrays
from attention_dynamics.problems.problem import Array


@takes_arrays()
def risk_bounds(scores: Array) -> tuple[float, float]:
    """Return the smallest and the largest factor by which the risk can exceed that of the optimal tokens.

    L(p) - L* is between these factors times q_max, the largest over the inputs of the probability of non-optimal
    tokens. An input's margin falls short by sum_t s_t gap_t, which is between gap_min q and gap_max q, and the slope of
    the loss is between those at the largest and at the smallest score; at least one of n inputs has q = q_max.

    scores: gamma of one problem, (n, T). Raises ValueError where all tokens of every input score alike.
    """
    gaps = scores.max(-1, keepdims=True) - scores
    gaps = gaps[gaps > 0]
    if not gaps.size:
        raise ValueError("scores: all tokens of every input score alike")
    steepest, flattest = 1 / (1 + np.exp(scores.min())), 1 / (1 + np.exp(scores.max()))
    return float(flattest * gaps.min() / len(scores)), float(steepest * gaps.max())

"""Bounds on the cost of mixing in non-optimal tokens, for a linear head and the logistic loss (Max-margin Lemma 14)."""

import numpy as np

from attention_dynamics.problems.arrays import takes_arrays
from attention_dynamics.problems.problem import Array


@takes_arrays()
def risk_bounds(scores: Array) -> tuple[float, float]:
    """Return a lower and an upper bound of (L(p) - L*) / q_max, for all p.

    L* is the risk of the optimal tokens. q is the softmax probability of an input's non-optimal tokens, and q_max its
    largest value over the n inputs. The gap_t of token t is the highest score of the input minus the token's score.
    Tokens with probabilities s_t lower an input's margin by sum_t s_t gap_t, which is between gap_min q and gap_max q.
    The size of the slope of the loss is between its values at the largest and the smallest score. At least one of n
    inputs has q = q_max, hence the factor 1/n.

    scores: gamma of one problem, (n, T). Raises ValueError if in every input all tokens have the same score.
    """
    gaps = scores.max(-1, keepdims=True) - scores
    gaps = gaps[gaps > 0]
    if not gaps.size:
        raise ValueError("scores: all tokens of every input score alike")
    steepest, flattest = 1 / (1 + np.exp(scores.min())), 1 / (1 + np.exp(scores.max()))
    return float(flattest * gaps.min() / len(scores)), float(steepest * gaps.max())

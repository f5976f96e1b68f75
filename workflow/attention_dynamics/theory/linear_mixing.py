"""Bounds on the cost of mixing in non-optimal tokens, for a linear head and the logistic loss (Max-margin Lemma 14)."""

import numpy as np

from attention_dynamics.problems.arrays import takes_arrays
from attention_dynamics.problems.problem import Array


@takes_arrays()
def risk_bounds(scores: Array) -> tuple[float, float]:
    """Return a lower and an upper bound of (L(p) - L*) / q_max that hold for all p.

    L* is the risk of the optimal tokens. q is the softmax probability of an input's non-optimal tokens, and q_max its
    largest value over the n inputs. gap_t is the highest score of the input minus the score of its token t. gap_min and
    gap_max are the smallest and the largest positive gap of all inputs.
    With softmax probabilities s_t, an input's margin is sum_t s_t gap_t below its highest score. This sum is between
    gap_min q and gap_max q. The absolute slope of the loss is between its values at the largest and the smallest score.
    The lower bound has the factor 1/n, because the risk is a mean over the inputs and only one may have q = q_max.

    scores: gamma of one problem, (n, T). Raises ValueError if in every input all tokens have the same score.
    """
    gaps = scores.max(-1, keepdims=True) - scores
    gaps = gaps[gaps > 0]
    if not gaps.size:
        raise ValueError("scores: all tokens of every input score alike")
    steepest, flattest = 1 / (1 + np.exp(scores.min())), 1 / (1 + np.exp(scores.max()))
    return float(flattest * gaps.min() / len(scores)), float(steepest * gaps.max())

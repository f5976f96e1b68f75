"""Iterations that optimizers need, one over the other."""

from attention_dynamics.claims.series import Series
from attention_dynamics.claims.statistics import first_step_staying_above
from attention_dynamics.problems.problem import Array

# Of a cosine with W_mm, and of the softmax probability of the optimal tokens.
LEVEL = 0.99


def iterations_ratio(slower: Series, faster: Series) -> Array:
    """Return the iterations of one run until its series stays above ``LEVEL`` over those of another, (k,).

    Infinity where the first run ends before.
    """
    return first_step_staying_above(slower, LEVEL) / first_step_staying_above(faster, LEVEL)

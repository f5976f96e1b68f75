"""The ratio of the iterations that two optimizers need."""

from attention_dynamics.problems.problem import Array
from attention_dynamics.series.series import Series
from attention_dynamics.series.statistics import first_step_staying_above

# Level that the cosine with W_mm, or the softmax probability of the optimal tokens, has to reach and keep.
LEVEL = 0.99


def iterations_ratio(slower: Series, faster: Series) -> Array:
    """Return the iterations until ``slower`` stays at least LEVEL, divided by those until ``faster`` does, (k,).

    The ratio is infinite if only ``slower`` ends below LEVEL, 0 if only ``faster`` does, and NaN if both do.
    """
    return first_step_staying_above(slower, LEVEL) / first_step_staying_above(faster, LEVEL)

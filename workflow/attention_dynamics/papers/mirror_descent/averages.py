"""Averages over data sets."""

import numpy as np

from attention_dynamics.problems.problem import Array


def geometric_mean(values: Array) -> Array:
    """Return the geometric means (records,) of values (records, data sets); NaN without data sets."""
    return np.exp(np.log(values).mean(1)) if values.shape[1] else np.full(len(values), np.nan)

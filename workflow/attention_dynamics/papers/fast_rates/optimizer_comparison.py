"""Optimizers that Figs 1, 4, 6 and 7 compare, by the names that claims give them.

The runs of a figure are named after its data and the optimizer in small letters: ``mnli_sngd``. Each is a grid of
trainings with several step sizes and seeds; what is compared is the best step size of each optimizer.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from attention_dynamics.claims.series import Series
from attention_dynamics.problems.problem import Array

# Id of a case -> name of the optimizer.
OPTIMIZERS = {"sgd": "SGD", "sngd": "SNGD", "sps": "SPS", "adam": "Adam"}
# Those that the paper says are faster than SGD and like Adam.
NORMALIZED = {"sngd": "SNGD", "sps": "SPS"}


class Pair(NamedTuple):
    """Two optimizers: one that the paper says is as fast as the other, or faster."""

    one: str
    other: str


PAIRS = {
    "sngd_sgd": Pair("SNGD", "SGD"),
    "sps_sgd": Pair("SPS", "SGD"),
    "sngd_adam": Pair("SNGD", "Adam"),
    "sps_adam": Pair("SPS", "Adam"),
}


def mean_at(series: Series, epochs: Iterable[int]) -> Array:
    """Return the means over the seeds after several numbers of epochs."""
    return np.array([series.at(epoch).mean() for epoch in epochs])

"""Tokens placed by hand in the plane, for joint training of the head and the attention (Max-margin Fig 3)."""

import numpy as np

from attention_dynamics.block_types import LabelledInput
from attention_dynamics.problems.problem import Problem, Shape, equal_counts


def shape(*, inputs: list[LabelledInput]) -> Shape:
    """P = 1, d = 2, no fixed head."""
    return Shape(1, len(inputs), equal_counts([len(one["tokens"]) for one in inputs]), 2, fixed_head=False, planar=True)


def build(*, inputs: list[LabelledInput]) -> Problem:
    """One problem with W = identity and no fixed head; the first token of each input is the optimal one.

    Raises ValueError as ``shape``.
    """
    shape(inputs=inputs)
    tokens = np.array([[one["tokens"] for one in inputs]], dtype=float)
    labels = np.array([[one["label"] for one in inputs]], dtype=float)
    return Problem(tokens, labels, np.eye(2), np.zeros(labels.shape, dtype=np.int64))

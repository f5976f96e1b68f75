"""Tokens placed by hand, for joint training of the head and self-attention (Mirror descent, joint optimisation)."""

import numpy as np

from attention_dynamics.block_types import LabelledInput
from attention_dynamics.problems.problem import Problem, Shape, equal_counts


def shape(*, inputs: list[LabelledInput]) -> Shape:
    """P = 1, d = 2, no fixed head."""
    T = equal_counts([len(one["tokens"]) for one in inputs])
    return Shape(1, len(inputs), T, 2, fixed_head=False, key_dimension=4)


def build(*, inputs: list[LabelledInput]) -> Problem:
    """One problem in the plane, softmax(X W x_1) with the first token as the query and no fixed head.

    Numbers are rounded to single precision, as in the published code. There is no optimal token; the first one is noted
    as such. Raises ValueError as ``shape``.
    """
    shape(inputs=inputs)
    tokens = np.array([[one["tokens"] for one in inputs]], dtype=np.float32).astype(np.float64)
    labels = np.array([[one["label"] for one in inputs]], dtype=float)
    return Problem(tokens, labels, np.eye(2), np.zeros(labels.shape, dtype=np.int64), queries=tokens[:, :, 0])

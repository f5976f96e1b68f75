"""The embedding shared by the planar figures: two coordinates for the key, a third one for the score."""

import numpy as np

from attention_dynamics.problems.arrays import takes_arrays
from attention_dynamics.problems.problem import Array, Problem, with_fixed_head


@takes_arrays()
def embed(positions: Array, scores: Array, labels: Array, settings: dict[str, Array] | None = None) -> Problem:
    """Return problems with tokens (position, Y * score) in R^3, W = diag(1, 1, 0) and v = (0, 0, 1).

    The key of a token is then its position, whatever its score, and its score is as given (Max-margin, Section 2.1).
    positions: (P, n, T, 2), in the plane of the figure. scores: (P, n, T). labels: (P, n).
    """
    tokens = np.concatenate([positions, (labels[..., None] * scores)[..., None]], axis=-1)
    head = np.broadcast_to([0.0, 0.0, 1.0], (len(tokens), 3)).copy()
    return with_fixed_head(tokens, labels, np.diag([1.0, 1.0, 0.0]), head, settings)

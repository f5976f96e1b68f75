"""Vectors in coordinates of their span, which keeps all inner products.

Self-attention is prompt attention: softmax(X W x_1) is softmax(K p) with p = W and the keys x_t x_1'. Training and the
W-SVM (support vector machine over W) depend on W only through the inner products <x_t x_1', W>. In coordinates of the
span of the keys, W has at most n T entries for every d, and norms, angles and iterates are those of the d x d matrices.
A start W(0) outside of this span needs one more coordinate.
"""

import numpy as np

from attention_dynamics.problems.arrays import takes_arrays
from attention_dynamics.problems.problem import Array


@takes_arrays()
def span_coordinates(points: Array) -> Array:
    """Return points, (m, d), in coordinates of an orthonormal basis of their span, (m, m); unchanged unless d > m."""
    m, d = points.shape
    return points if d <= m else np.asarray(np.linalg.qr(points.T, mode="r")).T


@takes_arrays()
def from_gram(gram: Array) -> Array:
    """Return vectors with the inner products ``gram``, one in each row of an array (m, m). ``gram`` may be singular."""
    values, vectors = np.linalg.eigh(gram)
    return np.asarray(vectors * np.sqrt(values.clip(min=0.0)))


@takes_arrays()
def span_keys(tokens: Array, weights: Array) -> tuple[Array, Array]:
    """Return the keys x_t x_1', (n, T, m), and a matrix W, (m,), in coordinates of their joint span; m = n T + 1.

    tokens: (n, T, d); weights: W, (d, d). The part of W that is orthogonal to all keys counts in norms and angles;
    training does not change this part.
    Raises ValueError for entries of ``tokens`` above 1e70 in absolute value, whose fourth powers may overflow.
    Raises ValueError for entries of ``weights`` above 1e140 in absolute value, whose squares may overflow.
    """
    for name, array, limit in (("tokens", tokens, 1e70), ("weights", weights, 1e140)):
        if np.abs(array).max() > limit:
            raise ValueError(f"{name}: need entries up to {limit:g}")
    n, T, d = tokens.shape
    flat, queries = tokens.reshape(n * T, d), tokens[:, 0].repeat(T, axis=0)
    gram = (flat @ flat.T) * (queries @ queries.T)
    logits = ((flat @ weights) * queries).sum(-1)
    coordinates = from_gram(np.block([[gram, logits[:, None]], [logits, np.square(weights).sum()]]))
    return coordinates[:-1].reshape(n, T, -1), coordinates[-1]

"""Vectors in coordinates of their span, which keeps all inner products.

Self-attention is prompt attention in this way: softmax(X W x_1) is softmax(K p) with p = W and the keys x_t x_1'. All
that training and the W-SVM (support vector machine over W) know of W are the inner products <x_t x_1', W>. In
coordinates of the span of the keys there are n T of them, whatever d is, and norms, angles and iterates are those of
the d x d matrices.
"""

import numpy as np

from attention_dynamics.problems.arrays import takes_arrays
from attention_dynamics.problems.problem import Array


@takes_arrays()
def span_coordinates(points: Array) -> Array:
    """Return points (m, d) in an orthonormal basis of their span, (m, min(m, d))."""
    m, d = points.shape
    return points if d <= m else np.asarray(np.linalg.qr(points.T, mode="r")).T


@takes_arrays()
def from_gram(gram: Array) -> Array:
    """Return vectors (m, m), one per row, with these inner products (m, m). The Gram matrix may be singular."""
    values, vectors = np.linalg.eigh(gram)
    return np.asarray(vectors * np.sqrt(values.clip(min=0.0)))


@takes_arrays()
def span_keys(tokens: Array, weights: Array) -> tuple[Array, Array]:
    """Return the keys (n, T, m) of tokens (n, T, d), and a matrix W (d, d) as (m,), in coordinates of their span.

    m = n T + 1. The part of W that no key reaches counts in norms and angles; training leaves it as it is.
    Raises ValueError for tokens and weights whose powers of four and two leave the floating-point range.
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

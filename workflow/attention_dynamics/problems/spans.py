"""Vectors in coordinates of their span: as many numbers as there are vectors, and every inner product as it was."""

import numpy as np

from attention_dynamics.problems.problem import Array


def in_their_span(points: Array) -> Array:
    """Points (m, d) in an orthonormal basis of their span, (m, min(m, d))."""
    m, d = points.shape
    return points if d <= m else np.linalg.qr(points.T, mode="r").T


def from_gram(gram: Array) -> Array:
    """Vectors (m, m), one per row, with these inner products (m, m). The Gram matrix may be singular."""
    values, vectors = np.linalg.eigh(gram)
    return vectors * np.sqrt(values.clip(min=0.0))

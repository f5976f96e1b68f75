"""Tokens and head drawn uniformly from the unit sphere, labels by coin toss (Max-margin Fig 9, Lemma 1)."""

import numpy as np

from attention_dynamics.problems.problem import Array, Problem, Shape, with_fixed_head
from attention_dynamics.problems.spans import in_their_span
from attention_dynamics.types import Count, Counts, Index, Seed


def shape(*, trials: Count, n: Count, T: Count, d: Count | Counts, seed: Seed, first: Index = 0) -> Shape:
    """P = trials times the number of dimensions. Raises ValueError where a dimension is listed twice."""
    dimensions = _listed(d)
    if len(set(dimensions)) != len(dimensions):
        raise ValueError(f"d: a dimension is listed twice in {dimensions}")
    return Shape(trials * len(dimensions), n, T, _stored_dimension(n, T, max(dimensions)), settings={"d": dimensions})


def build(*, trials: Count, n: Count, T: Count, d: Count | Counts, seed: Seed, first: Index = 0) -> Problem:
    """``trials`` independent problems with W = identity in R^d, for every d where several are listed (the setting d).

    A problem with more coordinates than its n T tokens and head can span is stored in an orthonormal basis of their
    span; one with fewer than the widest is filled up with zeros. Neither changes a logit, a score or a distance.

    Trial k in dimension d draws from ``SeedSequence(seed, spawn_key=(d, k))``, for k from ``first`` on, so it depends
    neither on how many trials there are nor on the other dimensions. The batch runs through the dimensions first.
    """
    dimensions = _listed(d)
    P, width = trials * len(dimensions), _stored_dimension(n, T, max(dimensions))
    tokens, labels, heads = np.zeros((P, n, T, width)), np.empty((P, n)), np.zeros((P, width))
    for row in range(P):
        trial, k = divmod(row, len(dimensions))
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(dimensions[k], first + trial)))
        points, labels[row] = _sphere(rng, n * T + 1, dimensions[k]), rng.choice([-1.0, 1.0], size=n)
        points = in_their_span(points)
        tokens[row, ..., : points.shape[1]] = points[:-1].reshape(n, T, -1)
        heads[row, : points.shape[1]] = points[-1]
    return with_fixed_head(tokens, labels, np.eye(width), heads, {"d": np.tile(np.array(dimensions, float), trials)})


def _listed(d: Count | Counts) -> Counts:
    return [d] if isinstance(d, int) else d


def _stored_dimension(n: int, T: int, d: int) -> int:
    return min(d, n * T + 1)


def _sphere(rng: np.random.Generator, count: int, d: int) -> Array:
    """(count, d)."""
    points = rng.standard_normal((count, d))
    return points / np.linalg.norm(points, axis=-1, keepdims=True)

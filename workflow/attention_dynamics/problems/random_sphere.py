"""Tokens and head drawn uniformly from the unit sphere, labels by coin toss (Max-margin Fig 9, Lemma 1)."""

import numpy as np

from attention_dynamics.problems.problem import Array, Problem, Shape, with_fixed_head
from attention_dynamics.types import Count, Seed


def shape(*, trials: Count, n: Count, T: Count, d: Count, seed: Seed) -> Shape:
    """P = trials."""
    return Shape(trials, n, T, d)


def build(*, trials: Count, n: Count, T: Count, d: Count, seed: Seed) -> Problem:
    """``trials`` independent problems with W = identity.

    Trial k draws from the k-th child of ``SeedSequence(seed)``, so it does not depend on how many trials there are.
    """
    draws = [_draw(np.random.default_rng(child), n, T, d) for child in np.random.SeedSequence(seed).spawn(trials)]
    tokens, labels, heads = (np.stack(arrays) for arrays in zip(*draws, strict=True))
    return with_fixed_head(tokens, labels, np.eye(d), heads)


def _draw(rng: np.random.Generator, n: int, T: int, d: int) -> tuple[Array, Array, Array]:
    return _sphere(rng, (n, T, d)), rng.choice([-1.0, 1.0], size=n), _sphere(rng, (d,))


def _sphere(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    points = rng.standard_normal(shape)
    return points / np.linalg.norm(points, axis=-1, keepdims=True)

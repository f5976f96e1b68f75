"""Tokens and head drawn uniformly from the unit sphere, labels by coin toss (Max-margin Fig 9, Lemma 1)."""

from typing import Self

import numpy as np
from pydantic import model_validator

from attention_dynamics.problems.problem import Array, Problem, with_fixed_head
from attention_dynamics.problems.shape import TokenShape
from attention_dynamics.problems.source import RandomTrials
from attention_dynamics.problems.spans import span_coordinates
from attention_dynamics.types import Count, Counts, Seed


class RandomSphere(RandomTrials, kind="random_sphere"):
    """``trials`` independent problems with W = identity in R^d; if d is a list, ``trials`` problems for each entry.

    If d exceeds n T + 1, the number of tokens and head, a problem is stored in an orthonormal basis of their span.
    Coordinates are padded with zeros to the same number in all problems. Neither changes a logit, score or distance.

    Trial k in dimension d draws from ``SeedSequence(seed, spawn_key=(d, k))``, for k from ``first`` on. A trial thus
    depends neither on the number of trials nor on the other dimensions. In the batch, all dimensions of a trial follow
    one another. Each problem has its dimension as the setting d.
    """

    n: Count
    T: Count
    d: Count | Counts
    seed: Seed

    @model_validator(mode="after")
    def _check_dimensions(self) -> Self:
        if len(set(self._dimensions)) != len(self._dimensions):
            raise ValueError(f"d: a dimension is listed twice in {list(self._dimensions)}")
        return self

    @property
    def shape(self) -> TokenShape:
        return TokenShape(
            problems=self.trials * len(self._dimensions), inputs=self.n, tokens=self.T,
            dimension=min(max(self._dimensions), self.n * self.T + 1), settings={"d": self._dimensions},
        )  # fmt: skip

    def build(self) -> Problem:
        n, T, dimensions = self.n, self.T, self._dimensions
        P, width = self.shape.problems, self.shape.dimension
        tokens, labels, heads = np.zeros((P, n, T, width)), np.empty((P, n)), np.zeros((P, width))
        for row in range(P):
            trial, k = divmod(row, len(dimensions))
            key = dimensions[k], self.first + trial
            rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=key))
            points, labels[row] = _draw_points(rng, n * T + 1, dimensions[k]), rng.choice([-1.0, 1.0], size=n)
            points = span_coordinates(points)
            tokens[row, ..., : points.shape[1]] = points[:-1].reshape(n, T, -1)
            heads[row, : points.shape[1]] = points[-1]
        settings = {"d": np.tile(np.array(dimensions, float), self.trials)}
        return with_fixed_head(tokens, labels, np.eye(width), heads, settings)

    @property
    def _dimensions(self) -> tuple[int, ...]:
        return (self.d,) if isinstance(self.d, int) else self.d


def _draw_points(rng: np.random.Generator, count: int, d: int) -> Array:
    """Return ``count`` points drawn uniformly from the unit sphere, (count, d)."""
    points = rng.standard_normal((count, d))
    return points / np.linalg.norm(points, axis=-1, keepdims=True)

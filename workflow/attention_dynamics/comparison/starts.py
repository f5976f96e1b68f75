"""Problems with random starts, one for every seed of a comparison."""

from dataclasses import replace

import numpy as np

from attention_dynamics.problems.problem import Array, Problem

# Norm of a random start.
START_NORM = 1.0


def with_random_starts(problem: Problem, repeats: int = 1, first: int = 0) -> Problem:
    """Return the problems, each from a random start of norm START_NORM for p, and for v where it is trained.

    repeats: how many starts every problem of the batch has; copy k of the whole batch follows copy k - 1. first: number
    of the first problem, for a shard. A start depends on its number alone. Starts for v that the problem provides stay.
    """
    P = len(problem.tokens)
    arrays = {"tokens": problem.tokens, "labels": problem.labels, "optimal": problem.optimal}
    optional = {"head": problem.head, "queries": problem.queries, "own_keys": problem.own_keys}
    arrays |= {name: array for name, array in optional.items() if array is not None}
    repeated = {name: np.concatenate([array] * repeats) for name, array in arrays.items()}
    settings = {name: np.tile(values, repeats) for name, values in problem.settings.items()}
    rows = range(first, first + P * repeats)
    # Two streams for every number: those of p and of v.
    starts = {"p": _random_points(rows, _dimension(problem), 0)}
    if problem.head is None:
        provided = problem.starts.get("v")
        starts["v"] = (
            _random_points(rows, problem.tokens.shape[-1], 1)
            if provided is None
            else np.concatenate([provided[:, :1]] * repeats)
        )
    return replace(problem, **repeated, settings=settings, starts=starts)


def _dimension(problem: Problem) -> int:
    """Return the dimension of the keys, without forming those of queries."""
    if problem.own_keys is not None:
        return int(problem.own_keys.shape[-1])
    d = problem.tokens.shape[-1]
    return int(d if problem.queries is None else d * d)


def _random_points(rows: range, dimension: int, stream: int) -> Array:
    """Return points of norm START_NORM in random directions, (problems, 1, dimension)."""
    points = np.array([np.random.default_rng([row, stream]).standard_normal(dimension) for row in rows])
    scaled: Array = START_NORM * points / np.linalg.norm(points, axis=1, keepdims=True)
    return scaled[:, None]

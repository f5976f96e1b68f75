"""Problems with random starts, one for every seed of a comparison."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from attention_dynamics.attention.models.model import Model
from attention_dynamics.attention.models.prompt_attention import PromptAttention
from attention_dynamics.attention.models.self_attention import SelfAttention
from attention_dynamics.problems.problem import Array, Problem
from attention_dynamics.run import SHARED_ARRAYS

# Norm of a random start.
START_NORM = 1.0


def with_random_starts(problem: Problem, repeats: int = 1, first: int = 0) -> Problem:
    """Return the problems, each from a random start of norm START_NORM for p or W, and for v where it is trained.

    repeats: the number of starts of every problem; the whole batch of P problems is repeated, so that row k * P + j is
    problem j from start k. first: the number of the first row of a shard in the whole comparison. A random start
    depends only on the number of its row and its dimension. If the problem provides starts for v, the first of them
    replaces the random start of v.
    """
    repeated = change_arrays(problem, lambda array: np.concatenate([array] * repeats))
    rows = range(first, first + len(repeated.tokens))
    # Each seed has two random streams: one for p or W, and one for v.
    starts: dict[str, Array] = {model_of(problem).attends: _random_points(rows, _dimension(problem), 0)}
    if problem.head is None:
        provided = repeated.starts.get("v")
        starts["v"] = _random_points(rows, problem.tokens.shape[-1], 1) if provided is None else provided[:, :1]
    return replace(repeated, starts=starts)


def tuning_rows(problems: int, repeats: int, tuning: int) -> int:
    """Return the number of rows of a repeated batch that are for tuning; they are the first ones.

    If the problems are repeated from several starts, all problems from the first ``tuning`` starts are for tuning.
    Otherwise the first ``tuning`` problems are.
    """
    return tuning * (problems if repeats > 1 else 1)


def model_of(problem: Problem) -> Model:
    """Return self-attention if the problem has its own keys or has queries, and otherwise prompt attention."""
    return PromptAttention() if problem.own_keys is None and problem.queries is None else SelfAttention()


def change_arrays(problem: Problem, change: Callable[[Array], Array]) -> Problem:
    """Return the problems with ``change`` applied to every array with an axis of problems (not to SHARED_ARRAYS)."""
    return Problem.from_arrays({
        name: array if name in SHARED_ARRAYS else change(array) for name, array in problem.to_arrays().items()
    })  # fmt: skip


def _dimension(problem: Problem) -> int:
    """Return the dimension of the keys. Keys x_it z_i' of tokens x_it and queries z_i are not computed for this."""
    if problem.own_keys is not None:
        return int(problem.own_keys.shape[-1])
    d = problem.tokens.shape[-1]
    return int(d if problem.queries is None else d * d)


def _random_points(rows: range, dimension: int, stream: int) -> Array:
    """Return random points of norm START_NORM, (rows, 1, dimension), drawn from the seeds [row, stream]."""
    points = np.array([np.random.default_rng([row, stream]).standard_normal(dimension) for row in rows])
    scaled: Array = START_NORM * points / np.linalg.norm(points, axis=1, keepdims=True)
    return scaled[:, None]

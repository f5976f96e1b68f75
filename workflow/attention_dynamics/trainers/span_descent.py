"""Normalized gradient descent from p(0) = 0 in the span of the keys (``attention_dynamics.attention.gram_training``)."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.attention.gram_training import gram_matrices, train_in_span
from attention_dynamics.problems.problem import Problem

# What the Gram matrices of the problems in work may take. Every problem is trained by itself: no result depends on it.
MEMORY = 64_000_000


def train(problem: Problem, spec: Mapping[str, Any]) -> dict[str, NDArray]:
    """First and last iterate: "step" (2,) and "p" (2, P, 1, d).

    spec: steps, step_size, precision, epsilon, as ``train_in_span`` takes them.
    """
    P, n, T, d = problem.keys.shape
    keys, scores = problem.keys, problem.scores()
    arguments = {name: spec[name] for name in ("steps", "step_size", "precision", "epsilon")}
    prompts = np.zeros((2, P, 1, d))
    at_once = max(1, MEMORY // (8 * (n * T) ** 2))
    for first in range(0, P, at_once):
        part = slice(first, first + at_once)
        trained = train_in_span(gram_matrices(keys[part]), scores[part], **arguments)
        prompts[1, part, 0] = trained.prompts(keys[part])
    return {"step": np.array([0, spec["steps"]]), "p": prompts}

"""The constraints of an attention SVM as examples of a linear classifier."""

import numpy as np

from attention_dynamics.problems.problem import Problem


def constraint_examples(problem: Problem) -> Problem:
    """Return problems of linear classification whose SVM is the attention SVM of the optimal tokens of ``problem``.

    For every input i and every token t but the optimal one there is an example k_i,opt - k_it, labelled 1, with the
    keys k of ``problem``. An example x is an input with x as its only token. The attention to this token is 1 and the
    output is v'x, so that training moves the head v alone. The new tokens are (P, n (T - 1), 1, m).
    """
    P, _, T, m = problem.keys.shape
    best = np.take_along_axis(problem.keys, problem.optimal[..., None, None], axis=2)
    others = np.arange(T) != problem.optimal[..., None]
    examples = (best - problem.keys)[others].reshape(P, -1, 1, m)
    count = examples.shape[:2]
    return Problem(
        examples, np.ones(count), np.eye(m), np.zeros(count, dtype=np.int64), settings=problem.settings,
        own_keys=np.zeros((*count, 1, 1)),
    )  # fmt: skip

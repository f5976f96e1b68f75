"""W', the SVM of all inputs but one: the margin of the left-out input, and whether it selects a wrong token at the end.

The second start of each problem is a multiple of W'. Arrays have axes of P problems, n inputs and m entries of W.
"""

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.problems.problem import Array, Problem
from attention_dynamics.run import Run

# Indices of the problem's starts: zero, and a multiple of W'.
FROM_ZERO, FROM_OTHERS = 0, 1


def _margins(problem: Problem, W: Array) -> Array:
    """Return, for each input, the smallest margin of its optimal token over another token, (P, n). W: (P, m)."""
    logits = np.matvec(problem.keys.reshape(len(W), -1, W.shape[-1]), W).reshape(problem.keys.shape[:-1])
    at = problem.optimal[..., None]
    best = np.take_along_axis(logits, at, axis=-1)
    np.put_along_axis(logits, at, -np.inf, axis=-1)
    return best[..., 0] - logits.max(-1)


def others_svm(problem: Problem) -> Array:
    """Return the unit vectors along W', (P, m)."""
    W = problem.starts["W"][:, FROM_OTHERS]
    return W / np.linalg.norm(W, axis=-1, keepdims=True)


def left_out(problem: Problem) -> tuple[NDArray[np.int64], Array]:
    """Return the index of the input that W' leaves out, and its margin under W', (P,) each.

    The left-out input is the one with the smallest margin. Its margin is divided by the smallest margin of the other
    inputs, which is 1 in the constraints of their SVM.
    """
    margins = _margins(problem, others_svm(problem))
    ordered = np.sort(margins, axis=-1)
    return margins.argmin(-1), ordered[:, 0] / ordered[:, 1]


def selects_wrong_token(run: Run, start: int) -> NDArray[np.bool_]:
    """Return a mask, (P, n): true for an input whose most probable token at the end is not its optimal token."""
    return _margins(run.problem, run.trajectory["W"][-1, :, start]) < 0


def stays_wrong(run: Run, start: int) -> NDArray[np.bool_]:
    """Return a mask, (P,): true if the left-out input, and no other input, selects a wrong token at the end."""
    wrong, (index, _) = selects_wrong_token(run, start), left_out(run.problem)
    return (wrong.sum(-1) == 1) & np.take_along_axis(wrong, index[:, None], axis=-1)[:, 0]


def cosines_with_others(run: Run, start: int) -> Array:
    """Return the cosines of W and W', (records, P), for training from one start; NaN where W is zero."""
    W = run.trajectory["W"][:, :, start]
    size = np.linalg.norm(W, axis=-1)
    return np.vecdot(W, others_svm(run.problem)) / np.where(size > 0, size, np.nan)

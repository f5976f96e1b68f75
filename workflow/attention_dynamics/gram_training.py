"""Fast path for many random problems: normalized gradient descent on the logistic risk, in the span of the keys.

From p(0) = 0 every iterate of normalized gradient descent is a combination of the keys, p = sum_j c_j k_j. A step then
needs only the logits K p and the Gram matrix K K' of a problem, never p: it costs the same for d = 2 and d = 500. The
direction is that of ``models.attention_gradient``, in the same cancellation-free form.

Each problem is trained by itself, in one loop that stays in the processor's nearest cache. What comes out for a problem
therefore does not depend, not in the last bit, on which others are trained with it.

``training`` is the workflow's engine; no figure uses this module yet. It needs numba (the extra ``fast``).
"""

from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from attention_dynamics.problems.problem import Array

# Weights below exp(LOWEST) of the largest are zero: they are far below rounding, and subnormal numbers are slow.
LOWEST = -300.0


class GramTraining(NamedTuple):
    """Where training ended.

    coefficients: (P, n, T), the c with p = sum over inputs and tokens of c_it k_it.
    logits: (P, n, T), K p.
    """

    coefficients: Array
    logits: Array

    def prompts(self, keys: Array) -> Array:
        """The prompts p, (P, d), from the keys (P, n, T, d)."""
        return np.einsum("pnt,pntd->pd", self.coefficients, keys)


def gram_matrices(keys: Array) -> Array:
    """K K' of every problem, (P, n T, n T), from the keys (P, n, T, d)."""
    flat = keys.reshape(len(keys), -1, keys.shape[-1])
    return flat @ flat.swapaxes(1, 2)


def train_in_span(gram: Array, scores: Array, *, steps: int, step_size: float) -> GramTraining:
    """Normalized gradient descent on the logistic risk from p(0) = 0.

    gram: (P, n T, n T), see ``gram_matrices``; scores: (P, n, T), gamma of Definition 1.
    A problem whose gradient is exactly zero stays where it is. Raises ValueError for shapes that do not fit.
    """
    P, n, T = scores.shape
    if gram.shape != (P, n * T, n * T):
        raise ValueError(f"gram must be {(P, n * T, n * T)} for scores {scores.shape}, got {gram.shape}")
    coefficients, logits = np.zeros((P, n * T)), np.zeros((P, n * T))
    gram = np.ascontiguousarray(gram, dtype=np.float64)
    _train(gram, np.ascontiguousarray(scores, dtype=np.float64), steps, float(step_size), coefficients, logits)
    return GramTraining(coefficients.reshape(scores.shape), logits.reshape(scores.shape))


@numba.njit(nogil=True, error_model="numpy")
def _train(
    gram: NDArray, scores: NDArray, steps: int, step_size: float, coefficients: NDArray, logits: NDArray
) -> None:
    size = coefficients.shape[1]
    weights, pulled = np.empty(size), np.empty(size)
    for problem in range(len(gram)):
        for _ in range(steps):
            _weights(scores[problem], logits[problem], weights)
            pulled[:] = 0.0
            for j in range(size):
                for k in range(size):
                    pulled[k] += weights[j] * gram[problem, j, k]
            squared = 0.0
            for j in range(size):
                squared += weights[j] * pulled[j]
            if squared <= 0.0:
                break
            scale = step_size / np.sqrt(squared)
            for j in range(size):
                coefficients[problem, j] += scale * weights[j]
                logits[problem, j] += scale * pulled[j]


@numba.njit(nogil=True, error_model="numpy")
def _weights(scores: NDArray, logits: NDArray, weights: NDArray) -> None:
    """A positive multiple of the w with -gradient = sum_j w_j k_j, with the largest competitor's probability at one.

    The selected token of an input gets minus the sum of the others, which is what makes the sum one of differences
    k_it - k_ialpha.
    """
    n, T = scores.shape
    closest = -np.inf
    for i in range(n):
        row = logits[i * T : (i + 1) * T]
        top, second = -np.inf, -np.inf
        for t in range(T):
            if row[t] > top:
                top, second = row[t], top
            elif row[t] > second:
                second = row[t]
        closest = max(closest, second - top)
    lifted = np.exp(closest)
    for i in range(n):
        row, w = logits[i * T : (i + 1) * T], weights[i * T : (i + 1) * T]
        selected = 0
        for t in range(1, T):
            if row[t] > row[selected]:
                selected = t
        # Probabilities relative to the selected token's, divided by exp(closest).
        total, mean_gap = 0.0, 0.0
        for t in range(T):
            exponent = row[t] - row[selected] - closest
            w[t] = np.exp(exponent) if t != selected and exponent > LOWEST else 0.0
            total += w[t]
            mean_gap += w[t] * (scores[i, t] - scores[i, selected])
        share = 1.0 / (1.0 + lifted * total)
        mean_gap *= lifted * share
        slope = share / (1.0 + np.exp(scores[i, selected] + mean_gap))
        others = 0.0
        for t in range(T):
            w[t] *= slope * (scores[i, t] - scores[i, selected] - mean_gap)
            others += w[t]
        w[selected] = -others

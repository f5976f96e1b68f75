"""Normalized gradient descent on the logistic risk in the span of the keys: fast training for many small problems.

From p(0) = 0 every iterate of normalized gradient descent is a combination of the keys, p = sum_j c_j k_j. A step then
needs only the logits K p and the Gram matrix K K' of a problem, never p: it costs the same for d = 2 and d = 500. The
gradient is computed without cancellation, as in ``attention_gradient``, or by the textbook formula.

LANES problems are trained side by side, one in each lane of the vector registers, and no problem affects another. The
result for a problem is therefore bit-identical, whichever others are trained with it.

All other descent on attention models uses the module ``descent``. Numba caches compiled code beside this file or, if
this folder is read-only, in the user's cache folder.
"""

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from attention_dynamics.problems.arrays import check_array, takes_arrays
from attention_dynamics.problems.problem import Array

# Enough lanes to keep the registers busy, and few enough for their Gram matrices to stay in the second-level cache.
LANES = 32
# Exponents are cut off here, because subnormal numbers are slow and the smallest normal number is exp(-708).
LOWEST_EXPONENT = -700.0

LOG2_E, ROUND = 1 / math.log(2), 1.5 * 2.0**52
# log 2 in two parts, the first with so few digits that its products with integers up to 1024 are exact.
LOG_2_HIGH, LOG_2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
TAYLOR = tuple(1 / math.factorial(k) for k in range(13, -1, -1))
POWERS = 2.0 ** np.arange(-1022, 1)

PRECISIONS: dict[str, Any] = {"stable": np.float64, "float64": np.float64, "float32": np.float32}


class GramTraining(NamedTuple):
    """The last iterate of ``train_in_span`` on P problems.

    coefficients: (P, n, T), the c_it of the prompt p = sum_it c_it k_it.
    logits: (P, n, T), K p.
    """

    coefficients: Array
    logits: Array

    @takes_arrays()
    def prompts(self, keys: Array) -> Array:
        """Return the prompts p, (P, d), from the keys (P, n, T, d)."""
        # A matrix product for each problem, because the order in which einsum sums depends on the number of problems.
        P, d = len(keys), keys.shape[-1]
        return (self.coefficients.reshape(P, 1, -1) @ keys.reshape(P, -1, d))[:, 0]


@takes_arrays()
def gram_matrices(keys: Array) -> Array:
    """Return K K' of every problem, (P, n T, n T), from the keys (P, n, T, d)."""
    flat = keys.reshape(len(keys), -1, keys.shape[-1])
    return flat @ flat.swapaxes(1, 2)


@takes_arrays()
def train_in_span(
    gram: Array, scores: Array, *, steps: int, step_size: float, precision: str = "stable", epsilon: float = 0.0
) -> GramTraining:
    """Return the last iterate of normalized gradient descent on the logistic risk from p(0) = 0.

    A step is p <- p - step_size * g / (|g| + epsilon) with the gradient g. p stays if g is zero, or if
    |g / f|^2 underflows, where f is the factor of ``_stable_weights`` or ``_textbook_weights``.

    gram: (P, n T, n T), see ``gram_matrices``; scores: (P, n, T), gamma of Max-margin Definition 1.
    precision: "stable" for the gradient without cancellation; "float64" or "float32" for the textbook gradient
        (Max-margin eq. 15a) in that precision, whose direction is lost once the probabilities of the selected tokens
        round to one.
    Raises ValueError for arrays that are not finite or do not fit.
    Raises ValueError for numbers out of range and for any other precision.
    """
    P, n, T = check_array("scores", scores, ("P", "n", "T"), (None,) * 3).shape
    check_array("gram", gram, ("P", "n T", "n T"), (P, n * T, n * T))
    if not isinstance(steps, int | np.integer) or steps < 0:
        raise ValueError(f"steps: need a whole number, 0 or more, got {steps}")
    if not (0 < step_size < math.inf and 0 <= epsilon < math.inf):
        raise ValueError(f"step_size and epsilon: need numbers above 0 and from 0 on, got {step_size} and {epsilon}")
    if precision not in PRECISIONS:
        raise ValueError(f"precision must be one of {', '.join(PRECISIONS)}, got {precision!r}")
    real = PRECISIONS[precision]
    if max(np.abs(gram).max(), np.abs(scores).max()) > np.finfo(real).max:
        raise ValueError(f"gram and scores: need numbers within the range of {precision}")
    width = -(-n * T // 8) * 8
    train = _compiled_training(width, stable=precision == "stable")
    coefficients, logits = np.empty((2, P, n, T))
    for first in range(0, P, LANES):
        block = slice(first, min(first + LANES, P))
        filled = block.stop - first
        g, s = np.zeros((LANES, width, width), real), np.zeros((n, T, LANES), real)
        g[:filled, : n * T, : n * T] = gram[block]
        s[..., :filled] = np.moveaxis(scores[block], 0, -1)
        c, z = np.zeros((width, LANES), real), np.zeros((width, LANES), real)
        train(g, s, steps, real(step_size), real(epsilon), c, z)
        for result, lanes in ((coefficients, c), (logits, z)):
            result[block] = lanes[: n * T, :filled].T.reshape(filled, n, T)
    return GramTraining(coefficients, logits)


@functools.cache
def _compiled_training(width: int, *, stable: bool) -> Callable[..., None]:
    """Return the inner function ``train``, compiled. It trains LANES problems at once.

    width: number of rows of the Gram matrices, n T rounded up to a multiple of 8. It is a constant of the compiled
        function, which makes products twice as fast.
    stable: True for ``_stable_weights``, False for ``_textbook_weights``.
    """

    @numba.njit(nogil=True, error_model="numpy", cache=True)
    def train(
        gram: NDArray[Any],
        scores: NDArray[Any],
        steps: int,
        step_size: float,
        epsilon: float,
        coefficients: NDArray[Any],
        logits: NDArray[Any],
    ) -> None:
        # gram: (LANES, width, width). scores: (n, T, LANES). coefficients, logits: (width, LANES), updated in place.
        n, T, _ = scores.shape
        row, squared, factor = np.empty_like(logits[:, 0]), np.empty_like(logits[0]), np.empty_like(logits[0])
        weights, pulled = np.zeros_like(logits), np.zeros_like(logits)
        tokens, token_weights = logits[: n * T].reshape(scores.shape), weights[: n * T].reshape(scores.shape)
        for _ in range(steps):
            if stable:
                _stable_weights(scores, tokens, token_weights, factor)
            else:
                _textbook_weights(scores, tokens, token_weights, factor)
            for lane in range(LANES):
                g = gram[lane]
                row[:] = 0
                for j in range(0, width, 4):
                    a, b, c, d = weights[j, lane], weights[j + 1, lane], weights[j + 2, lane], weights[j + 3, lane]
                    for k in range(width):
                        row[k] += (a * g[j, k] + b * g[j + 1, k]) + (c * g[j + 2, k] + d * g[j + 3, k])
                for k in range(width):
                    pulled[k, lane] = row[k]
            squared[:] = 0
            for j in range(n * T):
                for lane in range(LANES):
                    squared[lane] += weights[j, lane] * pulled[j, lane]
            for lane in range(LANES):
                norm = np.sqrt(squared[lane])
                squared[lane] = step_size / (norm + epsilon / factor[lane]) if norm > 0 else 0
            for j in range(n * T):
                for lane in range(LANES):
                    coefficients[j, lane] += squared[lane] * weights[j, lane]
                    logits[j, lane] += squared[lane] * pulled[j, lane]

    return train


@numba.njit(error_model="numpy", cache=True)
def _exp(x: float) -> float:
    """Return exp(x) within two units in the last place, for x clipped to LOWEST_EXPONENT <= x <= 0.

    It has no branches and calls no library, so that the compiler can vectorize loops over it.
    """
    x = min(max(x, LOWEST_EXPONENT), 0.0)
    halvings = (x * LOG2_E + ROUND) - ROUND
    rest = (x - halvings * LOG_2_HIGH) - halvings * LOG_2_LOW
    value = TAYLOR[0]
    for coefficient in TAYLOR[1:]:
        value = value * rest + coefficient
    return float(value * POWERS[int(halvings) + 1022])


@numba.njit(error_model="numpy", cache=True)
def _slope(margin: float) -> float:
    """Return -loss'(margin) = 1 / (1 + exp(margin)) of the logistic loss."""
    small = _exp(-abs(margin))
    return (small if margin > 0 else 1.0) / (1.0 + small)


@numba.njit(error_model="numpy", cache=True)
def _stable_weights(scores: NDArray[Any], logits: NDArray[Any], weights: NDArray[Any], factor: NDArray[Any]) -> None:
    """Write weights w and a factor with -gradient = factor * sum_it w_it k_it into ``weights`` and ``factor``.

    The factor is 1/n times the largest s_it / s_i,selected of all tokens that are not selected (at least
    exp(LOWEST_EXPONENT)), so that w does not underflow where these probabilities are small. The weights of an input sum
    to zero, so that sum_it w_it k_it is a sum of w_it (k_it - k_i,selected).

    scores, logits, weights: (inputs, tokens, LANES). factor: (LANES,).
    """
    n, T, _ = logits.shape
    top, best, selected = np.empty((n, LANES)), np.empty((n, LANES)), np.empty((n, LANES), np.int64)
    closest, second, total, mean_gap = np.full(LANES, -np.inf), np.empty(LANES), np.empty(LANES), np.empty(LANES)
    for i in range(n):
        top[i], second[:] = -np.inf, -np.inf
        for t in range(T):
            for lane in range(LANES):
                logit, ahead = logits[i, t, lane], logits[i, t, lane] > top[i, lane]
                second[lane] = max(second[lane], top[i, lane] if ahead else logit)
                top[i, lane] = logit if ahead else top[i, lane]
                best[i, lane] = scores[i, t, lane] if ahead else best[i, lane]
                selected[i, lane] = t if ahead else selected[i, lane]
        for lane in range(LANES):
            closest[lane] = max(closest[lane], second[lane] - top[i, lane])
    for lane in range(LANES):
        factor[lane] = _exp(closest[lane])
    for i in range(n):
        total[:], mean_gap[:] = 0, 0
        # Probabilities of the other tokens relative to that of the selected token, divided by exp(closest).
        for t in range(T):
            for lane in range(LANES):
                exponent = logits[i, t, lane] - top[i, lane] - closest[lane]
                other = t != selected[i, lane] and exponent > LOWEST_EXPONENT
                weights[i, t, lane] = _exp(exponent) if other else 0.0
                total[lane] += weights[i, t, lane]
                mean_gap[lane] += weights[i, t, lane] * (scores[i, t, lane] - best[i, lane])
        for lane in range(LANES):
            share = 1.0 / (1.0 + factor[lane] * total[lane])
            mean_gap[lane] *= factor[lane] * share
            total[lane] = share * _slope(best[i, lane] + mean_gap[lane])
            second[lane] = 0
        for t in range(T):
            for lane in range(LANES):
                weights[i, t, lane] *= total[lane] * (scores[i, t, lane] - best[i, lane] - mean_gap[lane])
                second[lane] += weights[i, t, lane]
        for t in range(T):
            for lane in range(LANES):
                weights[i, t, lane] = -second[lane] if t == selected[i, lane] else weights[i, t, lane]
    for lane in range(LANES):
        factor[lane] /= n


@numba.njit(error_model="numpy", cache=True)
def _textbook_weights(scores: NDArray[Any], logits: NDArray[Any], weights: NDArray[Any], factor: NDArray[Any]) -> None:
    """Write the weights of Max-margin eq. 15a, -loss' s * (gamma - <s, gamma>) / n, and the factor 1.

    The arguments are those of ``_stable_weights``.
    """
    n, T, _ = logits.shape
    work = np.empty((4, LANES), logits.dtype)
    top, total, mean, slope = work[0], work[1], work[2], work[3]
    factor[:] = 1
    for i in range(n):
        top[:], total[:], mean[:] = -np.inf, 0, 0
        for t in range(T):
            for lane in range(LANES):
                top[lane] = max(top[lane], logits[i, t, lane])
        for t in range(T):
            for lane in range(LANES):
                exponent = logits[i, t, lane] - top[lane]
                weights[i, t, lane] = _exp(exponent) if exponent > LOWEST_EXPONENT else 0.0
                total[lane] += weights[i, t, lane]
        for t in range(T):
            for lane in range(LANES):
                weights[i, t, lane] /= total[lane]
                mean[lane] += weights[i, t, lane] * scores[i, t, lane]
        for lane in range(LANES):
            slope[lane] = _slope(mean[lane]) / n
        for t in range(T):
            for lane in range(LANES):
                weights[i, t, lane] *= slope[lane] * (scores[i, t, lane] - mean[lane])

r"""The gradient of softmax attention, without cancellation.

The textbook gradient in p is (Max-margin eq. 15a)

    (1/n) sum_i loss'_i K_i' S'(K_i p) gamma_i,     S'(a) gamma = s * (gamma - <s, gamma>),

with the keys K_i, the scores gamma_i and the softmax s_i = softmax(K_i p) of input i. Once one token has nearly all
probability, its term is a difference of almost equal numbers. It rounds to zero while the (tiny, correct) terms of the
other tokens remain, and normalization turns the remainder into a wrong direction. This module subtracts the score and
the key of the most probable token alpha from all scores and keys of its input instead:

    (1/n) sum_i loss'_i sum_{t != alpha} s_it [ (gamma_it - gamma_ialpha) - sum_tau s_itau (gamma_itau - gamma_ialpha) ]
                                             (k_it - k_ialpha)

is the same vector, because s * (gamma - <s, gamma>) sums to zero over the tokens, and no term cancels. Probabilities
and slopes -loss' are kept as logarithms, and their largest product is factored out, so nothing underflows either.

Every sum runs over a contiguous last axis, which fixes its order. The result for a problem and a start therefore has
the same bits in a batch of any size.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.attention.losses.loss import Loss
from attention_dynamics.problems.problem import Array


class AttentionState(NamedTuple):
    """Quantities that the gradients in the prompt p and in the head v share, at one iterate.

    selected: (problems, starts, inputs), the index of the most probable token of each input.
    log_odds: (problems, starts, inputs, tokens), log(s_it / s_i,selected); -inf for the selected token itself.
    odds: exp(log_odds). total: (problems, starts, inputs), 1 / s_i,selected.
    gaps: (problems, starts, inputs, tokens), gamma_it - gamma_i,selected.
    mean_gap: (problems, starts, inputs), sum_t s_it gaps_it.
    log_slope: (problems, starts, inputs), log(-loss') at the input's margin Y f(X).
    """

    selected: NDArray[np.int64]
    log_odds: Array
    odds: Array
    total: Array
    gaps: Array
    mean_gap: Array
    log_slope: Array


def attention_state(logits: Array, scores: Array, loss: Loss) -> AttentionState:
    """Return the quantities that the gradients in p and v share.

    logits: K p, (problems, starts, inputs, tokens). scores: gamma, (problems, starts or 1, inputs, tokens).
    """
    selected = logits.argmax(-1)
    log_odds = logits - at_token(logits, selected)[..., None]
    put_at_token(log_odds, selected, -np.inf)
    odds = np.exp(log_odds)
    total = 1 + row_sum(odds)
    best = at_token(scores, selected)
    gaps = scores - best[..., None]
    mean_gap = row_dot(odds, gaps) / total
    return AttentionState(selected, log_odds, odds, total, gaps, mean_gap, loss.log_slope(best + mean_gap))


def row_dot(one: Array, other: Array) -> Array:
    """Return inner products over the last axis; the other axes are broadcast."""
    if one.dtype == np.float32:
        # Not np.vecdot, which uses BLAS: BLAS adds single-precision products in double precision, unlike the published
        # code.
        return np.multiply(one, other, order="C").sum(-1)
    return np.vecdot(one, other)


def row_sum(values: Array) -> Array:
    """Return sums over the last axis."""
    # Two to three times as fast as values.sum(-1), because rows are short.
    return row_dot(values, np.ones(values.shape[-1], values.dtype))


def at_token(values: Array, selected: NDArray[np.int64]) -> Array:
    """Return the value of the selected token of every input, (problems, starts, inputs).

    values: (problems, starts or 1, inputs, tokens). selected: (problems, starts, inputs), indices of tokens.
    """
    # Flat indices take a tenth of the time of np.take_along_axis. Even to find the largest value, argmax followed by
    # this function is faster than max.
    first = np.arange(0, values.size, values.shape[-1]).reshape(values.shape[:-1])
    return values.take(first + selected)


def put_at_token(values: Array, selected: NDArray[np.int64], new: float | Array) -> None:
    """Set the value of the selected token of every input to ``new``, in place.

    values: (problems, starts, inputs, tokens). selected: (problems, starts, inputs). new: a number, or like selected.
    """
    values.put(np.arange(0, values.size, values.shape[-1]) + selected.ravel(), new)


def rows_at_token(vectors: Array, selected: NDArray[np.int64]) -> Array:
    """Return the vector of the selected token of every input, (problems, starts, inputs, d).

    vectors: (problems, starts or 1, inputs, tokens, d). selected: (problems, starts, inputs), indices of tokens.
    """
    rows = vectors.reshape(-1, vectors.shape[-1])
    first = np.arange(0, len(rows), vectors.shape[-2]).reshape(vectors.shape[:-2])
    return rows.take(first + selected, axis=0)


def pull_weights(state: AttentionState) -> tuple[Array, Array]:
    """Return w and log_scale with which the gradient in p is -exp(log_scale) / n sum_it w_it (k_it - k_i,selected).

    w: (problems, starts, inputs, tokens), 0 for the selected tokens. log_scale: (problems, starts).
    """
    pull = state.gaps - state.mean_gap[..., None]
    factor = state.log_slope - np.log(state.total)
    # A token with pull 0 must not set the scale: the weights of the other tokens may be far smaller.
    log_weight = np.where(pull == 0, -np.inf, state.log_odds + factor[..., None])
    rows = log_weight.reshape(*log_weight.shape[:2], -1)
    largest = at_token(rows, rows.argmax(-1))
    # Where every pull is 0 (one token per input, or equal scores) the scale must be finite, so that the weights are 0
    # and not NaN, the exponential of -inf - (-inf).
    log_scale = np.maximum(largest, _lowest(largest.dtype))
    return np.exp(log_weight - log_scale[..., None, None]) * pull, log_scale


def head_weights(state: AttentionState, labels: Array) -> tuple[Array, Array]:
    """Return w and log_scale with which the gradient in v is -exp(log_scale) / n sum_it w_it x_it.

    w: (problems, starts, inputs, tokens), w_it = exp(log_slope_i - log_scale) Y_i s_it. log_scale: (problems, starts).
    labels: (problems, 1, inputs).
    """
    log_scale = state.log_slope.max(-1)
    slope = np.exp(state.log_slope - log_scale[..., None]) * labels
    odds = state.odds.copy()
    put_at_token(odds, state.selected, 1.0)
    return (slope / state.total)[..., None] * odds, log_scale


def textbook_weights(logits: Array, scores: Array, loss: Loss) -> tuple[Array, Array]:
    """Return the weights w and u of the textbook gradients (Max-margin eq. 15a), in the precision of the arguments.

    Both are (problems, starts, inputs, tokens). The gradient in p is -(1/n) sum_it w_it k_it, the gradient in v is
    -(1/n) sum_it u_it Y_i x_it.
    """
    s = np.exp(logits - at_token(logits, logits.argmax(-1))[..., None])
    s /= row_sum(s)[..., None]
    margin = row_dot(s, scores)
    slope = np.exp(loss.log_slope(margin))[..., None]
    # The products are taken in the order of automatic differentiation, as in the published code. Once s rounds to 0 and
    # 1, only their rounding errors are left, and the published iterates depend on these.
    pull = slope * scores
    return s * (pull - row_dot(s, pull)[..., None]), slope * s


@cache
def _lowest(dtype: np.dtype[Any]) -> Any:
    return np.finfo(dtype).min

"""The risk of attention in the plane, on a scale that resolves its smallest differences.

Along the max-margin solution p_mm, the risk differs from its limit by about exp(-|p| / |p_mm|). For large |p| this is
less than the rounding error of the risk. This module computes the difference directly, as its sign and the logarithm of
its absolute value.
"""

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.attention.attention_gradient import attention_state, pull_weights
from attention_dynamics.attention.losses.log_domain import Signed, log_log1p_exp, log_sum_exp, signed
from attention_dynamics.attention.losses.loss import Loss
from attention_dynamics.margins.selected_tokens import TIE_TOLERANCE
from attention_dynamics.problems.arrays import takes_arrays
from attention_dynamics.problems.problem import Array
from attention_dynamics.scaling import euclidean_norm

# The objective of ``AttentionRisk``, asinh(exp(K) (L - L0)), is logarithmic in |L - L0| above exp(-K) and linear below.
# K is chosen so that exp(-K) is exp(-LINEAR_DEPTH) times an estimate of the smallest |L - L0| for |p| <= reach.
LINEAR_DEPTH = 40.0
# Near L = L0, the gradient of the objective is exp(K) times that of L, and this product may overflow. Its scale, which
# is computed as a logarithm, is therefore limited to exp(MAX_LOG_SLOPE). No minimum lies at the points where this
# happens.
MAX_LOG_SLOPE = 300.0


class AttentionRisk:
    """p -> asinh(exp(K) (L(p) - L0)), an increasing function of the risk L that is smooth where L = L0.

    Where |L - L0| is much larger than exp(-K), it is close to +-(log|L - L0| + K + log 2), with the sign of L - L0.
    L0 is the risk if each input had its selected token alone. The margin of an input is gamma_selected - x with
    x = sum_t s_t gap_t, the softmax probabilities s_t, and gap_t = gamma_selected - gamma_t. ``Loss.log_excess`` gives
    the logarithm of loss(gamma_selected - x) - loss(gamma_selected). K is ``log_unit``.
    """

    def __init__(self, keys: Array, scores: Array, loss: Loss, selected: NDArray[np.int64], reach: float) -> None:
        """keys: (n, T, 2); scores: (n, T); selected: (n,), indices of tokens; reach: the largest |p| to evaluate.

        Raises ValueError if in every input all tokens have the same score as the selected token, up to TIE_TOLERANCE.
        """
        self.keys, self.loss = keys, loss
        self.margins = np.take_along_axis(scores, selected[:, None], axis=-1)[:, 0]
        gaps = self.margins[:, None] - scores
        gaps[np.abs(gaps) <= TIE_TOLERANCE * np.abs(scores).max(-1, keepdims=True)] = 0.0
        if not gaps.any():
            raise ValueError("scores: all tokens of every input score alike: the risk does not depend on p")
        self.gaps = signed(gaps)
        widest = euclidean_norm(keys[:, :, None] - keys[:, None]).max()
        flattest = float(loss.log_slope(self.margins).min())
        self.log_unit = widest * reach - flattest + LINEAR_DEPTH
        self.scores = self.margins[:, None] - gaps

    def values(self, points: Array) -> Array:
        """Return the values, (...), at points (..., 2)."""
        return self._scaled(self.difference(points))

    def gradients(self, points: Array) -> Array:
        """Return the gradients, (m, 2), at points (m, 2)."""
        logits = np.einsum("itx,mx->mit", self.keys, points)[None]
        state = attention_state(logits, self.scores[None, None], self.loss)
        weights, log_scale = pull_weights(state)
        origins = np.take_along_axis(self.keys[None], state.selected[0][..., None, None], axis=2)
        direction = -np.einsum("mit,mitx->mx", weights[0], self.keys - origins) / len(self.keys)
        y = self.difference(points).log + self.log_unit
        log_length = log_scale[0] + self.log_unit - 0.5 * np.logaddexp(0.0, 2 * y)
        return direction * np.exp(np.minimum(log_length, MAX_LOG_SLOPE))[:, None]

    def difference(self, points: Array) -> Signed:
        """Return L - L0 at points (..., 2), as signs and logarithms (...)."""
        logits = np.einsum("itx,...x->...it", self.keys, points)
        log_s = logits - log_sum_exp(logits)
        shortfall = Signed(np.broadcast_to(self.gaps.sign, log_s.shape), log_s + self.gaps.log).sum()
        # ``log_excess`` needs a positive shortfall. For a negative one, a surplus, the losses at the two margins are
        # subtracted in the opposite order, and the difference gets a minus sign.
        surplus = np.where(shortfall.sign < 0, np.exp(shortfall.log), 0.0)
        total = Signed(shortfall.sign, self.loss.log_excess(self.margins + surplus, shortfall.log)).sum()
        return Signed(total.sign, total.log - np.log(len(self.keys)))

    def _scaled(self, difference: Signed) -> Array:
        y = difference.log + self.log_unit
        return difference.sign * np.logaddexp(y, 0.5 * np.logaddexp(0.0, 2 * y))


class HeadRisk:
    """v -> log L(v), the logarithm of the logistic risk of a head v on fixed features."""

    def __init__(self, features: Array, labels: Array) -> None:
        """features: (n, 2), the attention-weighted tokens; labels: (n,)."""
        self.signed = labels[:, None] * features

    def values(self, points: Array) -> Array:
        """Return the values, (...), at points (..., 2)."""
        return log_sum_exp(log_log1p_exp(-points @ self.signed.T))[..., 0] - np.log(len(self.signed))

    def gradients(self, points: Array) -> Array:
        """Return the gradients, (m, 2), at points (m, 2)."""
        margins = points @ self.signed.T
        weight = np.exp(-np.logaddexp(0.0, margins) - log_sum_exp(log_log1p_exp(-margins)))
        return -weight @ self.signed


@takes_arrays()
def best_reachable(keys: Array, scores: Array, loss: Loss, directions: Array) -> NDArray[np.int64]:
    """Return the token indices, (n,), that the softmax selects far along the direction with the smallest risk there.

    Far along a direction q, the softmax is saturated and selects the token with the largest q'k_it in each input i.
    keys: (n, T, 2); scores: (n, T); directions: (m, 2).
    """
    selected = np.einsum("itx,mx->mit", keys, directions).argmax(-1)
    margins = np.take_along_axis(scores[None], selected[..., None], axis=-1)[..., 0]
    return selected[loss.value(margins).mean(-1).argmin()]

"""A nonlinear head psi(z) = sum_j a_j tanh(w_j'z + b_j) in place of v'z, and its planar risk (Max-margin eq. 83)."""

from typing import Self

import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator

from attention_dynamics.attention.losses.log_domain import Signed, log_sum_exp, signed
from attention_dynamics.margins.selected_tokens import TIE_TOLERANCE
from attention_dynamics.problems.problem import Array
from attention_dynamics.registry import Frozen
from attention_dynamics.regularization.planar_objective import LINEAR_DEPTH, MAX_LOG_SLOPE
from attention_dynamics.scaling import euclidean_norm
from attention_dynamics.types import Several, Vector


class TanhHead(Frozen, frozen=True):
    """A head with one hidden layer. weights: the w_j, as long as a token. biases: the b_j. outputs: the a_j."""

    weights: Several[Vector]
    biases: Vector
    outputs: Vector

    @model_validator(mode="after")
    def _check_sizes(self) -> Self:
        if not len(self.weights) == len(self.biases) == len(self.outputs):
            raise ValueError("weights, biases and outputs: must have the same length, one entry per hidden unit")
        if len(set(map(len, self.weights))) != 1:
            raise ValueError("weights: all rows must have the same number of coordinates")
        return self

    def values(self, points: Array) -> Array:
        """Return psi at points (..., d), (...)."""
        hidden: Array = np.tanh(points @ np.array(self.weights).T + np.array(self.biases))
        return hidden @ np.array(self.outputs)


class TanhRisk:
    """p -> asinh(exp(K) (L(p) - L0)), as ``AttentionRisk``, for a nonlinear head and the logistic loss.

    L0 is the risk at the selected tokens alone. psi(x_selected + delta) - psi(x_selected) is computed from delta
    itself, by the addition theorem of tanh, so that nothing cancels however small delta is.
    """

    def __init__(
        self, keys: Array, tokens: Array, labels: Array, head: TanhHead, selected: NDArray[np.int64], reach: float
    ) -> None:
        """keys: (n, T, 2); tokens: (n, T, d); labels: (n,); selected: (n,); reach: the largest |p| to come."""
        weights, inputs = np.array(head.weights), np.arange(len(tokens))
        chosen = tokens[inputs, selected]
        # (hidden units, n, T). The difference is taken first, so that tokens that a unit cannot tell from the selected
        # one give exactly zero.
        apart = np.einsum("jd,itd->jit", weights, tokens - chosen[:, None])
        apart[np.abs(apart) <= TIE_TOLERANCE * np.abs(weights).sum(1)[:, None, None] * np.abs(tokens).max()] = 0.0
        self.keys, self.labels, self.apart = keys, labels, apart
        self.outputs = np.array(head.outputs)
        self.level = np.tanh(weights @ chosen.T + np.array(head.biases)[:, None])
        self.margins = labels * head.values(chosen)
        widest = euclidean_norm(keys[:, :, None] - keys[:, None]).max()
        self.log_unit = 2 * widest * reach + LINEAR_DEPTH

    def values(self, points: Array) -> Array:
        """Return the values at points (..., 2), (...)."""
        difference = self.difference(points)
        y = difference.log + self.log_unit
        return difference.sign * np.logaddexp(y, 0.5 * np.logaddexp(0.0, 2 * y))

    def gradients(self, points: Array) -> Array:
        """Return the gradients at points (m, 2), (m, 2)."""
        s, rise = self._state(points)
        shortfall = -self.labels * np.einsum("j,mji->mi", self.outputs, rise)
        slope = -1 / (1 + np.exp(self.margins - shortfall))
        # The derivative of tanh, 1 - tanh^2, at the token that is attended to.
        bend = 1 - np.square(self.level + rise)
        centred = self.keys - np.einsum("mit,itx->mix", s, self.keys)[:, :, None]
        turn = np.einsum("mit,jit,mitx->mjix", s, self.apart, centred)
        direction = np.einsum("mi,i,j,mji,mjix->mx", slope, self.labels, self.outputs, bend, turn) / len(self.keys)
        y = self.difference(points).log + self.log_unit
        return direction * np.exp(np.minimum(self.log_unit - 0.5 * np.logaddexp(0.0, 2 * y), MAX_LOG_SLOPE))[:, None]

    def difference(self, points: Array) -> Signed:
        """Return L - L0, (...)."""
        _, rise = self._state(points)
        shortfall = -self.labels * np.einsum("j,...ji->...i", self.outputs, rise)
        return signed(np.log1p(np.expm1(shortfall) / (1 + np.exp(self.margins))).mean(-1))

    def _state(self, points: Array) -> tuple[Array, Array]:
        """Return the softmax (..., n, T), and the rise of every unit's output, (..., hidden units, n)."""
        logits = np.einsum("itx,...x->...it", self.keys, points)
        s = np.exp(logits - log_sum_exp(logits))
        tangent = np.tanh(np.einsum("...it,jit->...ji", s, self.apart))
        return s, (1 - self.level**2) * tangent / (1 + self.level * tangent)

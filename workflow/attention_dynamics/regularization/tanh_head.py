"""Nonlinear head psi(z) = sum_j a_j tanh(w_j'z + b_j) in place of v'z, and its planar risk (Max-margin eq. 83)."""

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
    """A head with one hidden layer, psi(z) = sum_j a_j tanh(w_j'z + b_j).

    weights: the w_j, each with as many coordinates as a token. biases: the b_j. outputs: the a_j.
    """

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
        """Return psi at points (..., d), as an array (...)."""
        hidden: Array = np.tanh(points @ np.array(self.weights).T + np.array(self.biases))
        return hidden @ np.array(self.outputs)


class TanhRisk:
    """p -> asinh(exp(K) (L(p) - L0)), as ``AttentionRisk``, for a nonlinear head and the logistic loss.

    L0 is the risk if each input had its selected token alone. The output of attention is x_selected + delta. The
    difference psi(x_selected + delta) - psi(x_selected) is computed from delta by the addition theorem of tanh, so that
    it does not cancel for small delta.
    """

    def __init__(
        self, keys: Array, tokens: Array, labels: Array, head: TanhHead, selected: NDArray[np.int64], reach: float
    ) -> None:
        """keys: (n, T, 2); tokens: (n, T, d); labels, selected (indices of tokens): (n,); reach: the largest |p|."""
        weights, inputs = np.array(head.weights), np.arange(len(tokens))
        chosen = tokens[inputs, selected]
        # w_j'(x_it - x_i,selected), (hidden units, n, T). Tokens are subtracted first, and rounding errors are set to
        # zero, so that the entry is exactly zero if unit j has the same output for a token as for the selected one.
        apart = np.einsum("jd,itd->jit", weights, tokens - chosen[:, None])
        apart[np.abs(apart) <= TIE_TOLERANCE * np.abs(weights).sum(1)[:, None, None] * np.abs(tokens).max()] = 0.0
        self.keys, self.labels, self.apart = keys, labels, apart
        self.outputs = np.array(head.outputs)
        self.level = np.tanh(weights @ chosen.T + np.array(head.biases)[:, None])
        self.margins = labels * head.values(chosen)
        # The constant K, chosen as in ``planar_objective`` but with twice the exponent.
        widest = euclidean_norm(keys[:, :, None] - keys[:, None]).max()
        self.log_unit = 2 * widest * reach + LINEAR_DEPTH

    def values(self, points: Array) -> Array:
        """Return the values, (...), at points (..., 2)."""
        difference = self.difference(points)
        y = difference.log + self.log_unit
        return difference.sign * np.logaddexp(y, 0.5 * np.logaddexp(0.0, 2 * y))

    def gradients(self, points: Array) -> Array:
        """Return the gradients, (m, 2), at points (m, 2)."""
        s, rise = self._state(points)
        shortfall = -self.labels * np.einsum("j,mji->mi", self.outputs, rise)
        slope = -1 / (1 + np.exp(self.margins - shortfall))
        # 1 - tanh^2, the derivative of tanh, for each hidden unit at the output of attention.
        bend = 1 - np.square(self.level + rise)
        centred = self.keys - np.einsum("mit,itx->mix", s, self.keys)[:, :, None]
        turn = np.einsum("mit,jit,mitx->mjix", s, self.apart, centred)
        direction = np.einsum("mi,i,j,mji,mjix->mx", slope, self.labels, self.outputs, bend, turn) / len(self.keys)
        y = self.difference(points).log + self.log_unit
        return direction * np.exp(np.minimum(self.log_unit - 0.5 * np.logaddexp(0.0, 2 * y), MAX_LOG_SLOPE))[:, None]

    def difference(self, points: Array) -> Signed:
        """Return L - L0 at points (..., 2), as signs and logarithms (...)."""
        _, rise = self._state(points)
        shortfall = -self.labels * np.einsum("j,...ji->...i", self.outputs, rise)
        return signed(np.log1p(np.expm1(shortfall) / (1 + np.exp(self.margins))).mean(-1))

    def _state(self, points: Array) -> tuple[Array, Array]:
        """Return the softmax, (..., n, T), and the rises, (..., hidden units, n).

        A rise is tanh(w_j'(x_i,selected + delta_i) + b_j) - tanh(w_j'x_i,selected + b_j).
        """
        logits = np.einsum("itx,...x->...it", self.keys, points)
        s = np.exp(logits - log_sum_exp(logits))
        tangent = np.tanh(np.einsum("...it,jit->...ji", s, self.apart))
        return s, (1 - self.level**2) * tangent / (1 + self.level * tangent)

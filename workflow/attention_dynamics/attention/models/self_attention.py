"""Self-attention f(X) = u' X' softmax(X W x_1), trained in W alone or jointly in (W, u) (Fast rates, Mirror descent).

It is prompt attention with p = W, flattened row by row, and the keys x_t x_1', or x_t z' for another query z.
"""

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.attention.attention_gradient import put_at_token, row_sum
from attention_dynamics.attention.losses.loss import Loss
from attention_dynamics.attention.models.model import Model, Parameters
from attention_dynamics.attention.models.prompt_attention import BoundPromptAttention
from attention_dynamics.problems.problem import Array, Problem
from attention_dynamics.types import Precision


class SelfAttention(Model, kind="self_attention"):
    """Self-attention f(X) = u' X' softmax(X W x_1) (Fast rates, Mirror descent).

    W is trained, stored row by row. If the problem has no fixed head, u is trained too, and recorded as v.
    """

    attends = "W"
    parameters = ("W",)

    def bind(self, problem: Problem, loss: Loss, precision: Precision = "stable") -> "BoundSelfAttention":
        return BoundSelfAttention(problem, loss, precision)


class BoundSelfAttention(BoundPromptAttention):
    """Self-attention of one batch of problems. It uses matrix products, because its keys have many coordinates.

    There is one product per problem, so that its bits do not depend on other problems; they may depend on the number of
    starts. If the problem has queries z_i and no keys of its own, X_i (W z_i) is computed without forming the keys
    x_it z_i', which takes d times less memory and time, and W has m = d^2 coordinates. Otherwise m is the dimension of
    the keys.
    """

    attends = SelfAttention.attends

    def prepare(self, problem: Problem) -> None:
        """Store tokens, and queries or keys, in the memory layouts that the products in this class need."""
        self.rows = np.ascontiguousarray(problem.tokens, self.dtype)
        P, n, T, d = self.rows.shape
        self.inputs = (n, T)
        # The shape is (problems, inputs * tokens, d), for matrix products with all tokens of a problem.
        self.flat_tokens = self.rows.reshape(P, n * T, d)
        self.queries = None
        if problem.own_keys is None and problem.queries is not None:
            self.queries = self._array(problem.queries)
            self.dimensions = {"W": d * d, "v": d}
        else:
            self.flat_keys = np.ascontiguousarray(problem.keys, self.dtype).reshape(P, n * T, -1)
            self.dimensions = {"W": self.flat_keys.shape[-1], "v": d}
        self.fixed_scores = None
        if self.head is not None:
            self.fixed_scores = self.labels[..., None] * self._products(self.head, self.flat_tokens)

    def logits(self, parameters: Parameters) -> Array:
        """Return x_it' W z_i, or <k_it, W> for a problem with its own keys, (problems, starts, inputs, tokens)."""
        if self.queries is None:
            return self._products(parameters["W"], self.flat_keys)
        d = self.rows.shape[-1]
        weights = parameters["W"].reshape(*parameters["W"].shape[:2], d, d)
        return np.matvec(self.rows[:, None], self.queries @ weights.mT)

    def token_scores(self, parameters: Parameters) -> Array:
        """Return gamma_it = Y_i u'x_it, (problems, starts or 1, inputs, tokens)."""
        if self.fixed_scores is not None:
            return self.fixed_scores
        return self.labels[..., None] * self._products(parameters["v"], self.flat_tokens)

    def relative_key_sum(self, weights: Array, selected: NDArray[np.int64]) -> Array:
        """Return -(1/n) sum_it w_it (k_it - k_i,selected), (problems, starts, m).

        ``weights`` is changed in place: the weight of a selected token becomes minus the sum of the others.
        """
        put_at_token(weights, selected, -row_sum(weights))
        return self.key_sum(weights)

    def key_sum(self, weights: Array) -> Array:
        """Return -(1/n) sum_it w_it k_it, (problems, starts, m)."""
        if self.queries is None:
            return _combination(weights, self.flat_keys)
        along = np.vecmat(weights, self.rows[:, None])
        total: Array = along.mT @ self.queries / -weights.shape[-2]
        return total.reshape(*total.shape[:2], -1)

    def token_sum(self, weights: Array) -> Array:
        """Return -(1/n) sum_it w_it x_it, (problems, starts, d)."""
        return _combination(weights, self.flat_tokens)

    def _products(self, parameter: Array, vectors: Array) -> Array:
        """Return inner products of a parameter with all vectors, (problems, starts, inputs, tokens).

        parameter: (problems, starts, m). vectors: (problems, inputs * tokens, m).
        """
        products = parameter @ vectors.mT
        return products.reshape(*products.shape[:2], *self.inputs)


def _combination(weights: Array, vectors: Array) -> Array:
    """Return -(1/n) sum_it w_it c_it, (problems, starts, m).

    weights: w, (problems, starts, inputs, tokens). vectors: c, (problems, inputs * tokens, m).
    """
    flat = weights.reshape(*weights.shape[:2], -1)
    return flat @ vectors / -weights.shape[-2]

"""Self-attention f(X) = u' X' softmax(X W x_1), trained in W alone or jointly in (W, u) (Fast rates, Mirror descent).

W, row by row, is the prompt of ``prompt_attention`` and x_t x_1' (or x_t z' for another query z) are the keys.
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

    Trains W, row by row, and u, called v, where the problem has no head.
    """

    attends = "W"
    parameters = ("W",)

    def bind(self, problem: Problem, loss: Loss, precision: Precision = "stable") -> "BoundSelfAttention":
        return BoundSelfAttention(problem, loss, precision)


class BoundSelfAttention(BoundPromptAttention):
    """Prompt attention of one batch of problems by products of matrices, because keys are wide here.

    Every problem has a product of its own, so that its bits do not depend on the others; those of a start may depend on
    how many there are. Where the problem has queries, W acts on them instead of on the keys: d times less to read and
    to multiply.
    """

    attends = SelfAttention.attends

    def prepare(self, problem: Problem) -> None:
        """Arrange tokens, and queries or keys, for the products below."""
        self.rows = np.ascontiguousarray(problem.tokens, self.dtype)
        P, n, T, d = self.rows.shape
        self.inputs = (n, T)
        # (problems, inputs * tokens, d)
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
        """Return x_t' W z, (problems, starts, inputs, tokens)."""
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
        """Return -(1/n) sum_it w_it (k_it - k_i,selected), (problems, starts, m)."""
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
        """Return inner products with every token's vector, (problems, starts, inputs, tokens)."""
        products = parameter @ vectors.mT
        return products.reshape(*products.shape[:2], *self.inputs)


def _combination(weights: Array, vectors: Array) -> Array:
    """Return minus the sum over the tokens of weights times vectors, averaged over the inputs."""
    flat = weights.reshape(*weights.shape[:2], -1)
    return flat @ vectors / -weights.shape[-2]

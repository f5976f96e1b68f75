"""Prompt attention f(X) = v' X' softmax(K p), trained in p alone or jointly in (v, p) (Max-margin eq. 5)."""

from collections.abc import Mapping
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.attention.attention_gradient import (
    attention_state,
    head_weights,
    pull_weights,
    row_dot,
    rows_at_token,
    textbook_weights,
)
from attention_dynamics.attention.losses.loss import Loss
from attention_dynamics.attention.losses.risk_gap import log_risk_gap
from attention_dynamics.attention.models.model import Model, Parameters
from attention_dynamics.optim.gradient import ScaledGradient
from attention_dynamics.problems.arrays import check_array
from attention_dynamics.problems.problem import Array, Problem
from attention_dynamics.types import Precision


class PromptAttention(Model, kind="prompt_attention"):
    """Prompt attention f(X) = v' X' softmax(K p) (Max-margin eq. 5), trained in p, and in v too if it is not fixed."""

    def bind(self, problem: Problem, loss: Loss, precision: Precision = "stable") -> "BoundPromptAttention":
        return BoundPromptAttention(problem, loss, precision)


class BoundPromptAttention:
    """Prompt attention of one batch of problems.

    Arrays have the axes (problems, starts, inputs, tokens, coordinates). In arrays of the problem, such as its tokens,
    the axis of the starts has length 1 and is broadcast. Sums run over a contiguous last axis, so that the results of
    a problem and a start have the same bits in a batch of any size.

    attends: see ``Model``.
    """

    attends = PromptAttention.attends

    def __init__(self, problem: Problem, loss: Loss, precision: Precision) -> None:
        self.loss, self.precision = Loss.of(loss), precision
        if precision not in get_args(Precision):
            raise ValueError(f"precision: need one of {', '.join(get_args(Precision))}, got {precision!r}")
        self.dtype = np.dtype(np.float32 if precision == "float32" else np.float64)
        self.labels = self._array(problem.labels)
        self.head = None if problem.head is None else self._array(problem.head)
        self.prepare(problem)

    def prepare(self, problem: Problem) -> None:
        """Store tokens and keys in the memory layouts that the products in this class need."""
        self.tokens, self.keys = self._array(problem.tokens), self._array(problem.keys)
        self.dimensions = {self.attends: self.keys.shape[-1], "v": self.tokens.shape[-1]}
        # Both have the shape (problems, 1, coordinates, inputs, tokens), so that sums run over contiguous axes.
        self.token_columns = np.ascontiguousarray(np.moveaxis(self.tokens, -1, 2))
        self.key_columns = np.ascontiguousarray(np.moveaxis(self.keys, -1, 2))
        self.fixed_scores = None
        if self.head is not None:
            self.fixed_scores = self.labels[..., None] * row_dot(self.tokens, self.head[..., None, None, :])

    def _array(self, array: Array) -> Array:
        return np.ascontiguousarray(array, self.dtype)[:, None]

    def initial(self, start: Mapping[str, Array]) -> dict[str, Array]:
        """Return the parameters at step 0, (problems, starts, d): ``attends``, and "v" if the head is trained.

        start: parameter name -> points, (starts, m), or (problems, starts, m) if they differ between the problems.
        Points with m < d coordinates are padded with zeros.
        Raises ValueError for points of another shape or with more than d coordinates.
        Raises ValueError for different numbers of points for the two parameters.
        Raises ValueError for an unknown parameter, a missing one, and points for a fixed head.
        """
        if unknown := set(start) - {self.attends, "v"}:
            raise ValueError(f"start: {sorted(unknown)[0]!r} is not a parameter of this model ({self.attends}, v)")
        if self.attends not in start:
            raise ValueError(f"start: {self.attends} is missing")
        if ("v" in start) == (self.head is not None):
            what = "fixed head: remove v" if "v" in start else "trainable head: add points for v"
            raise ValueError(f"start: the problem has a {what}")
        parameters = {name: self._padded(points, self.dimensions[name]) for name, points in start.items()}
        if len({points.shape[1] for points in parameters.values()}) > 1:
            raise ValueError(f"start: {self.attends} and v need the same number of points")
        return parameters

    def _padded(self, points: Array, d: int) -> Array:
        P, each = len(self.labels), np.ndim(points) == 3
        points = check_array("start", points, ("P", "starts", "m")[not each :], (P, None, None)[not each :])
        if points.shape[-1] > d:
            raise ValueError(f"start: points with {points.shape[-1]} coordinates for a problem in R^{d}")
        full = np.zeros((P, points.shape[-2], d), self.dtype)
        full[..., : points.shape[-1]] = points
        return full

    def observe(self, parameters: Parameters) -> dict[str, Array]:
        """Return the quantities to record: the parameters themselves."""
        return dict(parameters)

    def prompt(self, parameters: Parameters) -> Array:
        """Return p, (problems, starts, d)."""
        return parameters[self.attends]

    def pull_back(self, gradient: ScaledGradient) -> dict[str, ScaledGradient]:
        """Return {parameter: gradient} for the attention parameter, by the chain rule from the gradient in p."""
        return {self.attends: gradient}

    def logits(self, parameters: Parameters) -> Array:
        """Return K p, (problems, starts, inputs, tokens)."""
        return row_dot(self.keys, self.prompt(parameters)[..., None, None, :])

    def token_scores(self, parameters: Parameters) -> Array:
        """Return gamma_it = Y_i v'x_it, (problems, starts or 1, inputs, tokens)."""
        if self.fixed_scores is not None:
            return self.fixed_scores
        return self.labels[..., None] * row_dot(self.tokens, parameters["v"][..., None, None, :])

    def risk(self, parameters: Parameters) -> Array:
        """Return the empirical risk (Max-margin eq. 1), (problems, starts), by the textbook formula."""
        logits = self.logits(parameters)
        s = np.exp(logits - logits.max(-1, keepdims=True))
        margin = (s * self.token_scores(parameters)).sum(-1) / s.sum(-1)
        return self.loss.value(margin).mean(-1)

    def log_gap(self, parameters: Parameters) -> Array:
        """Return the logarithm of the risk above its infimum, (problems, starts); see ``losses.risk_gap``."""
        logits, scores = self.logits(parameters), self.token_scores(parameters)
        return log_risk_gap(logits, scores, self.loss, fixed_head=self.head is not None)

    def gradient(self, parameters: Parameters) -> dict[str, ScaledGradient]:
        """Return parameter name -> gradient of the risk, computed as ``precision`` says (see ``Model.bind``)."""
        logits, scores = self.logits(parameters), self.token_scores(parameters)
        if self.precision == "stable":
            state = attention_state(logits, scores, self.loss)
            weights, log_scale = pull_weights(state)
            in_p = ScaledGradient(self.relative_key_sum(weights, state.selected), log_scale)
        else:
            weights, head_weight = textbook_weights(logits, scores, self.loss)
            ordinary = np.zeros(logits.shape[:2], self.dtype)
            in_p = ScaledGradient(self.key_sum(weights), ordinary)
        gradients = self.pull_back(in_p)
        if "v" in parameters:
            if self.precision == "stable":
                head_weight, ordinary = head_weights(state, self.labels)
            else:
                head_weight = self.labels[..., None] * head_weight
            gradients["v"] = ScaledGradient(self.token_sum(head_weight), ordinary)
        return gradients

    def relative_key_sum(self, weights: Array, selected: NDArray[np.int64]) -> Array:
        """Return -(1/n) sum_it w_it (k_it - k_i,selected), (problems, starts, d).

        weights: (problems, starts, inputs, tokens). selected: (problems, starts, inputs), indices of tokens.
        """
        origin = rows_at_token(self.keys, selected).swapaxes(-1, -2)[..., None]
        # The memory layout is fixed, because the order of the sum depends on it.
        return _sum(weights, np.subtract(self.key_columns, origin, order="C"))

    def key_sum(self, weights: Array) -> Array:
        """Return -(1/n) sum_it w_it k_it, (problems, starts, d)."""
        return _sum(weights, self.key_columns)

    def token_sum(self, weights: Array) -> Array:
        """Return -(1/n) sum_it w_it x_it, (problems, starts, d)."""
        return _sum(weights, self.token_columns)


def _sum(weights: Array, columns: Array) -> Array:
    """Return -(1/n) sum_it w_it c_it, (problems, starts, d).

    weights: (problems, starts, inputs, tokens); columns: (problems, starts or 1, d, inputs, tokens), contiguous.
    """
    flat = weights.reshape(*weights.shape[:2], 1, -1)
    return row_dot(flat, columns.reshape(*columns.shape[:3], -1)) / -weights.shape[-2]

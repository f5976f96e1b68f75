"""Attention trained in the key-query weights, with a fixed query u: logits X W u or X W' u (Max-margin Lemma 1)."""

from collections.abc import Mapping
from typing import ClassVar, Self

import numpy as np
from pydantic import model_validator

from attention_dynamics.attention.attention_gradient import row_dot
from attention_dynamics.attention.losses.loss import Loss
from attention_dynamics.attention.models.model import Model, Parameters
from attention_dynamics.attention.models.prompt_attention import BoundPromptAttention
from attention_dynamics.optim.gradient import ScaledGradient
from attention_dynamics.problems.problem import Array, Problem
from attention_dynamics.scaling import binary_scale
from attention_dynamics.types import Precision, Vector


class WeightAttention(Model, kind="weight_attention"):
    """Attention with the prompt p = W u, or p = W' u where ``transposed``, trained in W (Max-margin Lemma 1).

    The logits are X W u, or X W' u where ``transposed``. The paper has X W' u: its keys are X W', and in the proof of
    Lemma 1 u is in the left singular space of W. With X W u, every W is the transpose of the paper's.

    query: u, d numbers, not all zero.
    """

    parameters: ClassVar[tuple[str, ...]] = ("p", "W")

    query: Vector
    transposed: bool = False

    @model_validator(mode="after")
    def _check_query(self) -> Self:
        if not any(self.query):
            raise ValueError("query: at least one coordinate must not be zero")
        return self

    def bind(self, problem: Problem, loss: Loss, precision: Precision = "stable") -> "BoundWeightAttention":
        return BoundWeightAttention(problem, loss, precision, self.query, self.transposed)


class BoundWeightAttention(BoundPromptAttention):
    """Prompt attention of one batch of problems with the prompt p = W u or W' u, trained in W."""

    def __init__(
        self, problem: Problem, loss: Loss, precision: Precision, query: tuple[float, ...], transposed: bool
    ) -> None:
        super().__init__(problem, loss, precision)
        self.query = np.array(query, self.dtype)
        if len(query) != self.dimensions["p"]:
            raise ValueError(f"query: has {len(query)} coordinates, but the problem has {self.dimensions['p']}")
        self.transposed = transposed

    def initial(self, start: Mapping[str, Array]) -> dict[str, Array]:
        """Return W(0) = p(0) u' / |u|^2 (transposed: u p(0)' / |u|^2), and v(0) if the head is trained.

        W(0): (problems, starts, d, d). start: as for ``BoundPromptAttention``; the points for "p" are p(0).
        """
        parameters = super().initial(start)
        scale = binary_scale(self.query)
        weights = self._outer(parameters.pop("p")) / scale / np.square(self.query / scale).sum() / scale
        return {"W": weights, **parameters}

    def prompt(self, parameters: Parameters) -> Array:
        """Return W u (transposed: W' u), (problems, starts, d)."""
        weights = parameters["W"]
        return row_dot(np.ascontiguousarray(weights.mT) if self.transposed else weights, self.query)

    def observe(self, parameters: Parameters) -> dict[str, Array]:
        """Return the quantities to record: the parameters, and the prompt p that results from W."""
        return {"p": self.prompt(parameters), **parameters}

    def pull_back(self, gradient: ScaledGradient) -> dict[str, ScaledGradient]:
        """Return the gradient in W by the chain rule from the gradient g in p: g u' (transposed: u g')."""
        return {"W": ScaledGradient(self._outer(gradient.direction), gradient.log_scale)}

    def _outer(self, p: Array) -> Array:
        return self.query[:, None] * p[..., None, :] if self.transposed else p[..., :, None] * self.query

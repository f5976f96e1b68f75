"""Attention trained in the key-query weights, with a fixed query u: logits X W u or X W' u (Max-margin Lemma 1)."""

from collections.abc import Mapping
from types import ModuleType

import torch
from torch import Tensor

from attention_dynamics.attention.models.prompt_attention import PromptAttention
from attention_dynamics.optim.gradient import ScaledGradient
from attention_dynamics.problems.problem import Array, Problem
from attention_dynamics.types import Vector

PARAMETERS = ("p", "W")


class WeightAttention(PromptAttention):
    """The same model with the prompt p = W u, or p = W' u where ``transposed``, and W as the parameter.

    The published text uses both logits: X W u in Lemma 1 and X W' p in the model. They differ by the transpose of
    every W that follows.
    """

    def __init__(self, *model, query: Vector, transposed: bool) -> None:
        super().__init__(*model)
        self.query = torch.tensor(query, dtype=self.keys.dtype, device=self.device)
        if len(query) != self.keys.shape[-1]:
            raise ValueError(f"query: {len(query)} coordinates for a problem in R^{self.keys.shape[-1]}")
        self.transposed = transposed

    def initial(self, start: Mapping[str, Array]) -> dict[str, Tensor]:
        """W(0) = p(0) u' / |u|^2 (transposed: u p(0)' / |u|^2), (problems, starts, d, d), from points p(0)."""
        parameters = super().initial(start)
        weights = self._outer(parameters.pop("p")) / self.query.square().sum()
        return {"W": weights, **parameters}

    def prompt(self, parameters: Mapping[str, Tensor]) -> Tensor:
        """W u (transposed: W' u), (problems, starts, d)."""
        weights = parameters["W"].mT if self.transposed else parameters["W"]
        return (weights * self.query).sum(-1)

    def observe(self, parameters: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """What a trajectory records: the parameters, and the prompt that they amount to."""
        return {"p": self.prompt(parameters), **parameters}

    def pull_back(self, gradient: ScaledGradient) -> dict[str, ScaledGradient]:
        """Gradient in W by the chain rule: g u' (transposed: u g')."""
        return {"W": ScaledGradient(self._outer(gradient.direction), gradient.log_scale)}

    def _outer(self, p: Tensor) -> Tensor:
        outer = p[..., :, None] * self.query
        return outer.mT if self.transposed else outer


def build(
    problem: Problem, loss: ModuleType, precision: str, device: str, *, query: Vector, transposed: bool = False
) -> WeightAttention:
    """The model for a problem; see WeightAttention.

    query: u, d numbers, not all zero.
    """
    return WeightAttention(problem, loss, precision, device, query=query, transposed=transposed)

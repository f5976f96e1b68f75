"""Prompt attention f(X) = v' X' softmax(K p), trained in p alone or jointly in (v, p) (Max-margin eq. 5)."""

from collections.abc import Mapping
from types import ModuleType

import numpy as np
import torch
from torch import Tensor

from attention_dynamics.attention.losses.risk_gap import log_risk_gap
from attention_dynamics.attention.models.attention_gradient import (
    AttentionState,
    attention_state,
    head_gradient,
    prompt_gradient,
)
from attention_dynamics.optim.gradient import ScaledGradient
from attention_dynamics.problems.problem import Array, Problem

PARAMETERS = ("p",)
DTYPES = {"stable": torch.float64, "float64": torch.float64, "float32": torch.float32}


class PromptAttention:
    """The model on one batch of problems.

    Arrays inside have the axes (problems, starts, inputs, tokens, coordinates); the problem's own have length 1 on
    the second axis and are broadcast. Products are elementwise with a sum, never a matrix product, because those
    change in the last bits with the size of the batch.
    """

    def __init__(self, problem: Problem, loss: ModuleType, precision: str, device: str) -> None:
        def tensor(array: Array) -> Tensor:
            return torch.as_tensor(array, dtype=DTYPES[precision], device=device)[:, None]

        self.tokens, self.keys, self.labels = tensor(problem.tokens), tensor(problem.keys), tensor(problem.labels)
        self.head = None if problem.head is None else tensor(problem.head)
        self.loss = loss
        self.precision = precision
        self.device = device

    def initial(self, start: Mapping[str, Array]) -> dict[str, Tensor]:
        """Parameters ("p", and "v" where the head is trained), (problems, starts, d), from points (starts, m <= d).

        Points may differ between the problems, (problems, starts, m). Those with fewer than d coordinates are padded
        with zeros. Raises ValueError for points with more, for a name that the model does not have, and where the head
        is neither fixed nor given.
        """
        if unknown := set(start) - {"p", "v"}:
            raise ValueError(f"start: {sorted(unknown)[0]!r} is not a parameter of this model (p, v)")
        if ("v" in start) == (self.head is not None):
            raise ValueError("start: give v exactly where the problem has no fixed head")
        problems = self.keys.shape[0]

        def padded(points: Array, d: int) -> Tensor:
            if points.shape[-1] > d:
                raise ValueError(f"start: points with {points.shape[-1]} coordinates for a problem in R^{d}")
            full = np.pad(points, [(0, 0)] * (points.ndim - 1) + [(0, d - points.shape[-1])])
            full = np.broadcast_to(full, (problems, *full.shape[-2:])).copy()
            return torch.as_tensor(full, dtype=self.keys.dtype, device=self.device)

        dimensions = {"p": self.keys.shape[-1], "v": self.tokens.shape[-1]}
        return {name: padded(points, dimensions[name]) for name, points in start.items()}

    def prompt(self, parameters: Mapping[str, Tensor]) -> Tensor:
        """p, (problems, starts, d)."""
        return parameters["p"]

    def observe(self, parameters: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """What a trajectory records: the parameters."""
        return dict(parameters)

    def logits(self, parameters: Mapping[str, Tensor]) -> Tensor:
        """K p, (problems, starts, inputs, tokens)."""
        return (self.keys * self.prompt(parameters)[..., None, None, :]).sum(-1)

    def token_scores(self, parameters: Mapping[str, Tensor]) -> Tensor:
        """gamma_it = Y_i v'x_it, (problems, starts, inputs, tokens)."""
        head = parameters["v"] if self.head is None else self.head
        return self.labels[..., None] * (self.tokens * head[..., None, None, :]).sum(-1)

    def risk(self, parameters: Mapping[str, Tensor]) -> Tensor:
        """The empirical risk (eq. 1), (problems, starts), as the textbook writes it."""
        attention = self.logits(parameters).softmax(-1)
        return self.loss.loss((attention * self.token_scores(parameters)).sum(-1)).mean(-1)

    def gradient(self, parameters: Mapping[str, Tensor]) -> dict[str, ScaledGradient]:
        """Gradient of the risk in every parameter, in the arithmetic that ``precision`` asks for."""
        if self.precision != "stable":
            return self.textbook_gradient(parameters)
        state = attention_state(self.logits(parameters), self.token_scores(parameters), self.loss)
        gradients = self.pull_back(self.prompt_gradient(state))
        if "v" in parameters:
            gradients["v"] = self.head_gradient(state)
        return gradients

    def prompt_gradient(self, state: AttentionState) -> ScaledGradient:
        """Gradient of the risk in p."""
        return prompt_gradient(state, self.keys)

    def head_gradient(self, state: AttentionState) -> ScaledGradient:
        """Gradient of the risk in v."""
        return head_gradient(state, self.tokens, self.labels)

    def log_gap(self, parameters: Mapping[str, Tensor]) -> Tensor:
        """Logarithm of the risk above its infimum, (problems, starts); see ``losses.risk_gap``."""
        logits, scores = (x.cpu().numpy() for x in (self.logits(parameters), self.token_scores(parameters)))
        gap = log_risk_gap(logits, scores, self.loss, fixed_head=self.head is not None)
        return torch.as_tensor(gap, dtype=self.keys.dtype, device=self.device)

    @torch.inference_mode(False)
    def textbook_gradient(self, parameters: Mapping[str, Tensor]) -> dict[str, ScaledGradient]:
        """The gradient as published code takes it, by automatic differentiation of the textbook formula."""
        # Copies: autograd refuses leaves that were made in inference mode.
        leaves = {name: value.detach().clone().requires_grad_() for name, value in parameters.items()}
        gradients = torch.autograd.grad(self.risk(leaves).sum(), list(leaves.values()))
        batch = gradients[0].shape[:2]
        return {name: ScaledGradient(g, g.new_zeros(batch)) for name, g in zip(leaves, gradients, strict=True)}

    def pull_back(self, gradient: ScaledGradient) -> dict[str, ScaledGradient]:
        """The gradient in the attention parameter, given the one in p."""
        return {"p": gradient}


def build(problem: Problem, loss: ModuleType, precision: str, device: str) -> PromptAttention:
    """The model for a problem; see PromptAttention."""
    return PromptAttention(problem, loss, precision, device)

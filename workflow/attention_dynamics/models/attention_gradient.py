r"""The gradient of softmax attention, without cancellation.

The textbook gradient in p is (Max-margin eq. 15a)

    (1/n) sum_i loss'_i K_i' S'(K_i p) gamma_i,     S'(a) gamma = s * (gamma - <s, gamma>).

Once one token holds nearly all probability, its own term is a difference of almost equal numbers: it rounds to zero
while the (tiny, correct) terms of its competitors remain, and normalization turns the remainder into a wrong direction.
Measured from the most probable token alpha instead,

    (1/n) sum_i loss'_i sum_{t != alpha} s_it [ (gamma_it - gamma_ialpha) - sum_tau s_itau (gamma_itau - gamma_ialpha) ]
                                             (k_it - k_ialpha)

is the same vector, because s * (gamma - <s, gamma>) sums to zero over the tokens, and no term cancels. All weights are
carried as logarithms and the largest is factored out, so nothing underflows either.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from attention_dynamics.optim.gradient import ScaledGradient

if TYPE_CHECKING:
    from attention_dynamics.models.prompt_attention import PromptAttention


def log_attention(logits: Tensor) -> tuple[Tensor, Tensor]:
    """Most probable token, (..., 1) integers, and log softmax over the last axis, precise where it is near 0."""
    top, selected = logits.max(-1, keepdim=True)
    others = (logits - top).scatter(-1, selected, -torch.inf)
    return selected, (logits - top) - torch.log1p(others.exp().sum(-1, keepdim=True))


def relative_to(selected: Tensor, values: Tensor) -> Tensor:
    """values - value of the selected token, along the token axis; ``values`` is (..., tokens) or (..., tokens, d)."""
    if values.dim() == selected.dim():
        return values - values.gather(-1, selected)
    index = selected[..., None].expand(*selected.shape, values.shape[-1])
    values = values.expand(*selected.shape[:-1], *values.shape[-2:])
    return values - values.gather(-2, index)


def stable_gradients(model: "PromptAttention", parameters: Mapping[str, Tensor]) -> dict[str, ScaledGradient]:
    """Gradients of the risk in p (or W) and, where trained, v; exact to rounding at any distance from the origin."""
    selected, log_s = log_attention(model.logits(parameters))
    s = log_s.exp()
    gaps = relative_to(selected, model.token_scores(parameters).expand_as(s))
    mean_gap = (s * gaps).sum(-1, keepdim=True)
    margin = model.token_scores(parameters).expand_as(s).gather(-1, selected) + mean_gap
    log_slope = model.loss.log_slope(margin)
    n = s.shape[-2]

    log_weight = (log_slope + log_s).scatter(-1, selected, -torch.inf)
    log_scale = log_weight.amax((-1, -2))
    weight = (log_weight - log_scale[..., None, None]).exp() * (gaps - mean_gap)
    direction = -(weight[..., None] * relative_to(selected, model.keys)).sum((-2, -3)) / n
    gradients = model.pull_back(ScaledGradient(direction, log_scale))

    if "v" in parameters:
        log_scale = log_slope.amax((-1, -2))
        slope = (log_slope[..., 0] - log_scale[..., None]).exp()
        features = (s[..., None] * model.tokens).sum(-2)
        direction = -((slope * model.labels)[..., None] * features).sum(-2) / n
        gradients["v"] = ScaledGradient(direction, log_scale)
    return gradients


def autograd_gradients(model: "PromptAttention", parameters: Mapping[str, Tensor]) -> dict[str, ScaledGradient]:
    """The same gradients as published code takes them: automatic differentiation of the textbook formula."""
    leaves = {name: value.detach().requires_grad_() for name, value in parameters.items()}
    gradients = torch.autograd.grad(model.risk(leaves).sum(), list(leaves.values()))
    batch = gradients[0].shape[:2]
    return {name: ScaledGradient(g, g.new_zeros(batch)) for name, g in zip(leaves, gradients, strict=True)}

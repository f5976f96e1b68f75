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

from types import ModuleType
from typing import NamedTuple

import torch
from torch import Tensor

from attention_dynamics.optim.gradient import ScaledGradient


class AttentionState(NamedTuple):
    """What both gradients share, at one iterate. Axes: (problems, starts, inputs, tokens).

    selected: (..., 1), the most probable token of each input.
    log_s: (..., T), logarithm of the softmax probabilities.
    gaps: (..., T), scores relative to the selected token's.
    mean_gap: (..., 1), their average under the softmax.
    log_slope: (..., 1), log(-loss') at the input's margin Y f(X).
    """

    selected: Tensor
    log_s: Tensor
    gaps: Tensor
    mean_gap: Tensor
    log_slope: Tensor


def attention_state(logits: Tensor, scores: Tensor, loss: ModuleType) -> AttentionState:
    """The state at logits K p and scores gamma, both broadcast to (problems, starts, inputs, tokens)."""
    selected, log_s = log_attention(logits)
    scores = scores.expand_as(log_s)
    gaps = relative_to(selected, scores)
    mean_gap = (log_s.exp() * gaps).sum(-1, keepdim=True)
    log_slope = loss.log_slope(scores.gather(-1, selected) + mean_gap)
    return AttentionState(selected, log_s, gaps, mean_gap, log_slope)


def log_attention(logits: Tensor) -> tuple[Tensor, Tensor]:
    """Most probable token, (..., 1) integers, and log softmax over the last axis, precise where it is near 0."""
    top, selected = logits.max(-1, keepdim=True)
    relative = logits - top
    others = relative.scatter(-1, selected, -torch.inf)
    return selected, relative - torch.log1p(others.exp().sum(-1, keepdim=True))


def relative_to(selected: Tensor, values: Tensor) -> Tensor:
    """values - value of the selected token, along the token axis; ``values`` is (..., tokens) or (..., tokens, d)."""
    if values.dim() == selected.dim():
        return values - values.gather(-1, selected)
    index = selected[..., None].expand(*selected.shape, values.shape[-1])
    values = values.expand(*selected.shape[:-1], *values.shape[-2:])
    return values - values.gather(-2, index)


def prompt_gradient(state: AttentionState, keys: Tensor) -> ScaledGradient:
    """Gradient of the risk in p. keys: (problems, starts or 1, inputs, tokens, d)."""
    weight, log_scale = pull_weights(state)
    direction = -(weight[..., None] * relative_to(state.selected, keys)).sum((-2, -3)) / keys.shape[-3]
    return ScaledGradient(direction, log_scale)


def pull_weights(state: AttentionState) -> tuple[Tensor, Tensor]:
    """Weights of k_it - k_i,selected in -n exp(-log_scale) times the gradient in p, 0 for the selected token itself.

    Returns weights (problems, starts, inputs, tokens), of order one, and log_scale (problems, starts).
    """
    pull = state.gaps - state.mean_gap
    log_weight = (state.log_slope + state.log_s + pull.abs().log()).scatter(-1, state.selected, -torch.inf)
    # Finite even where nothing pulls (one token per input, equal scores): the gradient is then zero, not -inf - (-inf).
    log_scale = log_weight.amax((-1, -2)).clamp(min=torch.finfo(log_weight.dtype).min)
    return (log_weight - log_scale[..., None, None]).exp().copysign(pull), log_scale


def head_weights(state: AttentionState, labels: Tensor) -> tuple[Tensor, Tensor]:
    """Weights of the tokens in -n exp(-log_scale) times the gradient in v. Shapes as in ``pull_weights``."""
    log_slope = state.log_slope[..., 0]
    log_scale = log_slope.amax(-1)
    slope = (log_slope - log_scale[..., None]).exp() * labels
    return slope[..., None] * state.log_s.exp(), log_scale


def head_gradient(state: AttentionState, tokens: Tensor, labels: Tensor) -> ScaledGradient:
    """Gradient of the risk in v. tokens: (problems, starts or 1, inputs, tokens, d); labels: (..., inputs)."""
    weight, log_scale = head_weights(state, labels)
    return ScaledGradient(-(weight[..., None] * tokens).sum((-2, -3)) / tokens.shape[-3], log_scale)

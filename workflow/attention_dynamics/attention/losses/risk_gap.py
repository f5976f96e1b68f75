"""Logarithm of the risk above its infimum."""

import numpy as np

from attention_dynamics.attention.losses.log_domain import log_sum_exp
from attention_dynamics.attention.losses.loss import Loss
from attention_dynamics.problems.arrays import takes_arrays
from attention_dynamics.problems.problem import Array


@takes_arrays(single=True)
def log_risk_gap(logits: Array, scores: Array, loss: Loss, *, fixed_head: bool) -> Array:
    """Return log((1/n) sum_i loss(m_i) - infimum), (...), with the margins m_i = sum_t s_it gamma_it.

    logits, scores: (..., n, T), broadcast against each other; s_i is the softmax of the logits, gamma are the scores.
    fixed_head: True if only attention is trained. The infimum is then the mean loss of the best tokens,
        (1/n) sum_i loss(max_t gamma_it). With a trained head it is 0, for losses that define ``log_loss``.
    The computation uses logarithms of losses, or of their differences, so that nothing cancels or underflows.
    Raises ValueError for a trained head and a loss without ``log_loss``.
    """
    log_s = log_softmax(logits)
    if fixed_head:
        best = scores.max(-1)
        log_shortfall = log_sum_exp(log_s, best[..., None] - scores)[..., 0]
        log_losses = loss.log_excess(np.broadcast_to(best, log_shortfall.shape), log_shortfall)
    elif loss.has("log_loss"):
        log_losses = loss.log_loss((np.exp(log_s) * scores).sum(-1))
    else:
        raise ValueError(f"with loss {loss.kind!r} and a trained head, the risk has no infimum")
    return log_sum_exp(log_losses)[..., 0] - np.log(log_losses.shape[-1])


@takes_arrays(single=True)
def log_softmax(logits: Array) -> Array:
    """Return the logarithm of the softmax s over the last axis, to full relative precision also where s is near 1."""
    top = np.expand_dims(logits.argmax(-1), -1)
    shifted = logits - np.take_along_axis(logits, top, -1)
    others = shifted.copy()
    np.put_along_axis(others, top, -np.inf, -1)
    return shifted - np.log1p(np.exp(others).sum(-1, keepdims=True))

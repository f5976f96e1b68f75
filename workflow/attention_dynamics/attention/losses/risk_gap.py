"""How far the risk is above its infimum, as a logarithm."""

from types import ModuleType

import numpy as np
from scipy.special import logsumexp

from attention_dynamics.problems.problem import Array


def log_risk_gap(logits: Array, scores: Array, loss: ModuleType, *, fixed_head: bool) -> Array:
    """log((1/n) sum_i loss(m_i) - infimum), (...), with m_i = sum_t s_it gamma_it.

    logits, scores: (..., n, T), broadcast against each other. The infimum over the attention alone is the mean loss of
    the best tokens, (1/n) sum_i loss(max_t gamma_it); where the head is trained too it is 0, of
    losses that define ``log_loss``. Nothing cancels or underflows on the way: losses are compared by their logarithms.
    Raises ValueError for a trained head and a loss that has no infimum.
    """
    log_s = log_softmax(logits)
    if fixed_head:
        best = scores.max(-1)
        with np.errstate(divide="ignore"):
            log_shortfall = logsumexp(log_s, b=best[..., None] - scores, axis=-1)
        log_losses = loss.log_excess(np.broadcast_to(best, log_shortfall.shape), log_shortfall)
    elif hasattr(loss, "log_loss"):
        log_losses = loss.log_loss((np.exp(log_s) * scores).sum(-1))
    else:
        raise ValueError(f"the risk has no infimum under {loss.__name__.rpartition('.')[2]} loss and a trained head")
    return logsumexp(log_losses, axis=-1) - np.log(log_losses.shape[-1])


def log_softmax(logits: Array) -> Array:
    """Logarithm of the softmax over the last axis, to full relative precision of 1 - s where s is near one."""
    top = np.expand_dims(logits.argmax(-1), -1)
    shifted = logits - np.take_along_axis(logits, top, -1)
    others = shifted.copy()
    np.put_along_axis(others, top, -np.inf, -1)
    return shifted - np.log1p(np.exp(others).sum(-1, keepdims=True))

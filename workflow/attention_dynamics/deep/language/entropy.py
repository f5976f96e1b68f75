"""Entropy of attention (Scan and snap Figs 7 and 10)."""

from torch import Tensor

# The value in the published code.
EPSILON = 1e-8


def attention_entropy(probabilities: Tensor) -> Tensor:
    """Return - sum a log(a + 1e-8), in nats, of probabilities (..., T) -> (...); log T where all are alike."""
    return -(probabilities * (probabilities + EPSILON).log()).sum(-1)

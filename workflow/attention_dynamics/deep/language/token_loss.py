"""The loss of networks that name a token at every position."""

from torch import Tensor
from torch.nn.functional import cross_entropy

from attention_dynamics.deep_training.evaluation import IGNORED, counted


def token_loss(logits: Tensor, tokens: Tensor) -> Tensor:
    """Mean cross-entropy in nats of logits (n, vocabulary, T) and the right tokens (n, T), 0 where all are IGNORED."""
    # The same along the second axis takes a third longer.
    rows, wanted = logits.transpose(1, 2).flatten(0, 1), tokens.flatten()
    # To pass over rows, the CPU would have to wait for a GPU.
    if tokens.is_cpu and not (asked := wanted != IGNORED).all():
        rows, wanted = rows[asked], wanted[asked]
    return cross_entropy(rows, wanted, ignore_index=IGNORED, reduction="sum") / counted(wanted).clamp(min=1)

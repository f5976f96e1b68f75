"""The loss of networks that name a token at every position."""

from torch import Tensor
from torch.nn.functional import cross_entropy

from attention_dynamics.deep_training.evaluation import IGNORED


def token_loss(logits: Tensor, tokens: Tensor) -> Tensor:
    """Mean cross-entropy in nats of logits (n, vocabulary, T) and the right tokens (n, T), 0 where all are IGNORED."""
    # Along the second axis it takes a third longer, and much longer with what is IGNORED.
    rows, asked = logits.transpose(1, 2), tokens != IGNORED
    rows, tokens = (rows.flatten(0, 1), tokens.flatten()) if asked.all() else (rows[asked], tokens[asked])
    return cross_entropy(rows, tokens, reduction="sum") / max(len(tokens), 1)

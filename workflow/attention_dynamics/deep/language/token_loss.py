"""The loss of networks that predict a token at every position."""

from torch import Tensor
from torch.nn.functional import cross_entropy

from attention_dynamics.deep.training.evaluation import IGNORE_INDEX, count_labels


def token_loss(logits: Tensor, tokens: Tensor) -> Tensor:
    """Return the mean cross-entropy in nats of logits (n, vocabulary, T) for tokens (n, T).

    Positions with IGNORE_INDEX do not count; 0 where all have it.
    """
    # Along the second axis the same takes a third longer.
    rows, targets = logits.transpose(1, 2).flatten(0, 1), tokens.flatten()
    # With a GPU, to leave out rows would make the CPU wait for it.
    if tokens.is_cpu and not (counted := targets != IGNORE_INDEX).all():
        rows, targets = rows[counted], targets[counted]
    total = cross_entropy(rows, targets, ignore_index=IGNORE_INDEX, reduction="sum")
    return total / count_labels(targets).clamp(min=1)

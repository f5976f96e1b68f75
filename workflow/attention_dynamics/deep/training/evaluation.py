"""Evaluation of a network on a split."""

from collections.abc import Callable

import torch
from torch import Tensor

# The label of positions that do not count, which torch's cross-entropy leaves out.
IGNORE_INDEX = -100


def count_correct(logits: Tensor, labels: Tensor) -> Tensor:
    """Return how many of the labels, (n, ...), are right, (); classes are the second axis of the logits."""
    return (logits.argmax(1) == labels).sum()


def count_labels(labels: Tensor) -> Tensor:
    """Return how many labels are not IGNORE_INDEX, ()."""
    return (labels != IGNORE_INDEX).sum()


@torch.no_grad()
def evaluate(
    forward: Callable[[Tensor], Tensor], inputs: Tensor, labels: Tensor, batch_size: int,
    loss: Callable[[Tensor, Tensor], Tensor],
) -> tuple[float, float]:  # fmt: skip
    """Return mean loss and share of right answers over all inputs, (n, ...), computed in batches.

    labels: (n,) or (n, positions), some but not all of them IGNORE_INDEX. loss: (logits, labels) -> mean over those of
    a batch that are not. The network must be in eval mode.
    """
    total, correct, count = torch.zeros(3, dtype=torch.float64, device=inputs.device)
    for batch, targets in zip(torch.split(inputs, batch_size), torch.split(labels, batch_size), strict=True):
        logits, size = forward(batch), count_labels(targets)
        total += loss(logits, targets) * size
        correct += count_correct(logits, targets)
        count += size
    return (total / count).item(), (correct / count).item()

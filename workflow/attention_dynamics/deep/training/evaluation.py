"""How well a network does on a split."""

from collections.abc import Callable

import torch
from torch import Tensor

# A label that is not asked for, as torch's cross-entropy has it.
IGNORED = -100


def right_answers(logits: Tensor, labels: Tensor) -> Tensor:
    """How many of the labels, (n, ...), are right, (); classes are the second axis of the logits."""
    return (logits.argmax(1) == labels).sum()


def counted(labels: Tensor) -> Tensor:
    """How many labels are not IGNORED, ()."""
    return (labels != IGNORED).sum()


@torch.no_grad()
def evaluate(
    forward: Callable[[Tensor], Tensor], inputs: Tensor, labels: Tensor, batch_size: int,
    loss: Callable[[Tensor, Tensor], Tensor],
) -> tuple[float, float]:  # fmt: skip
    """Mean loss and share of right answers over all inputs, (n, ...), in batches.

    labels: (n,) or (n, positions), some but not all of them IGNORED. loss: (logits, labels) -> mean over those of a
    batch that are not. The network is to be in eval mode.
    """
    total, right, count = torch.zeros(3, dtype=torch.float64, device=inputs.device)
    for part, wanted in zip(inputs.split(batch_size), labels.split(batch_size), strict=True):
        logits, asked = forward(part), counted(wanted)
        total += loss(logits, wanted) * asked
        right += right_answers(logits, wanted)
        count += asked
    return (total / count).item(), (right / count).item()

"""How well a network does on a split."""

from collections.abc import Callable

import torch
from torch import Tensor


@torch.no_grad()
def evaluate(
    forward: Callable[[Tensor], Tensor], inputs: Tensor, labels: Tensor, batch_size: int,
    loss: Callable[[Tensor, Tensor], Tensor],
) -> tuple[float, float]:  # fmt: skip
    """Mean loss and share of right answers over all inputs, (n, ...), in batches.

    labels: (n,) or (n, positions); classes are the second axis of the logits. loss: (logits, labels) -> mean over a
    batch. The network is to be in eval mode.
    """
    sums = torch.zeros(2, dtype=torch.float64, device=inputs.device)
    for part, right in zip(inputs.split(batch_size), labels.split(batch_size), strict=True):
        logits = forward(part)
        sums[0] += loss(logits, right) * len(right)
        sums[1] += (logits.argmax(1) == right).sum()
    return sums[0].item() / len(labels), sums[1].item() / labels.numel()

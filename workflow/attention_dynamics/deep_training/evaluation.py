"""How well a network does on a split."""

from collections.abc import Callable

import torch
from torch import Tensor


@torch.no_grad()
def evaluate(
    forward: Callable[[Tensor], Tensor], images: Tensor, labels: Tensor, batch_size: int,
    loss: Callable[[Tensor, Tensor], Tensor],
) -> tuple[float, float]:  # fmt: skip
    """Mean loss and share of right answers over all images, (n, channels, height, width), in batches.

    labels: (n,). loss: (logits, labels) -> mean over a batch. The network is to be in eval mode.
    """
    sums = torch.zeros(2, dtype=torch.float64, device=images.device)
    for part, right in zip(images.split(batch_size), labels.split(batch_size), strict=True):
        logits = forward(part)
        sums[0] += loss(logits, right) * len(right)
        sums[1] += (logits.argmax(1) == right).sum()
    mean_loss, accuracy = (sums / len(labels)).tolist()
    return mean_loss, accuracy

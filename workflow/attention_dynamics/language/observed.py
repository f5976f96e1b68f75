"""What is observed of a decoder while it trains (Scan and snap Figs 7 and 10)."""

import torch
from numpy.typing import NDArray
from torch import nn

from attention_dynamics.language.entropy import attention_entropy

BATCH = 100


class AttentionObserver:
    """Observes the lowest layer's attention on segments (n, segment) of a text, the map on the first of them."""

    def __init__(self, segments: NDArray, device: str = "cpu") -> None:
        self.segments = torch.as_tensor(segments).to(device)

    def __call__(self, model: nn.Module) -> dict[str, NDArray]:
        """attention_entropy, largest_attention: (), means over segments, positions and heads.

        attention_map: (segment, segment), what each position attends to, mean over the heads.
        """
        parts = [model.attention(part) for part in self.segments.split(BATCH)]
        entropy = torch.cat([attention_entropy(part).flatten(1).mean(1) for part in parts])
        largest = torch.cat([part.amax(-1).flatten(1).mean(1) for part in parts])
        return {
            "attention_entropy": entropy.mean().cpu().double().numpy(),
            "largest_attention": largest.mean().cpu().double().numpy(),
            "attention_map": parts[0][0].mean(0).cpu().double().numpy(),
        }

"""One layer of self-attention on patches with a combined key-query matrix, as a torch module (Fast rates Fig 6)."""

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from attention_dynamics.deep.vision.layers import PatchEmbedding, patch_count

if TYPE_CHECKING:
    from attention_dynamics.deep.networks.patch_attention import PatchAttention


class PatchAttentionModule(nn.Module):
    """Tokens X, patches mapped linearly plus learned positions; output t is X' softmax(X W x_t), read out linearly.

    W, (dim, dim), starts at zero, and so attention uniform; linear layers start as torch's. Logits are not scaled.
    inputs: (channels, height, width). Raises ValueError where patches do not tile the image.
    """

    def __init__(self, settings: "PatchAttention", inputs: tuple[int, ...], classes: int) -> None:
        super().__init__()
        self.input_shape, self.classes = inputs, classes
        channels, height, width = inputs
        count, dim = patch_count((height, width), settings.patch), settings.dim
        self.position = nn.Parameter(settings.position_std * torch.randn(1, count, dim))
        self.embedding = PatchEmbedding(channels, settings.patch, dim)
        self.W = nn.Parameter(torch.zeros(dim, dim))
        self.head = nn.Linear(count * dim, classes)

    def forward(self, images: Tensor) -> Tensor:
        """Map (n, channels, height, width) to logits (n, classes)."""
        tokens = self.tokens(images)
        logits: Tensor = self.head((self.probabilities(tokens) @ tokens).flatten(1))
        return logits

    def tokens(self, images: Tensor) -> Tensor:
        """Return X, (n, patches, dim)."""
        tokens: Tensor = self.embedding(images) + self.position
        return tokens

    def probabilities(self, tokens: Tensor) -> Tensor:
        """Return softmax(X W x_t) in row t, (n, patches, patches)."""
        return (tokens @ self.W.T @ tokens.transpose(1, 2)).softmax(-1)

    @torch.no_grad()
    def attention(self, images: Tensor) -> list[Tensor]:
        """Return the attention probabilities of the one layer and head, [(n, 1, patches, patches)]."""
        return [self.probabilities(self.tokens(images))[:, None]]

    @torch.no_grad()
    def key_query(self) -> Tensor:
        """Return W of the one head, (1, dim, dim)."""
        return self.W[None].clone()

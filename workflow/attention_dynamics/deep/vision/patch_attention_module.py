"""One layer of self-attention on patches with a combined key-query matrix (Fast rates Fig 6)."""

import torch
from torch import Tensor, nn

from attention_dynamics.vision.layers import PatchEmbedding, patch_count


class PatchAttention(nn.Module):
    """Tokens X, patches mapped linearly plus learned positions; output t is X' softmax(X W x_t), read out linearly.

    W, (dim, dim), starts at zero, and so attention uniform; the positions start with normal entries of standard
    deviation position_std, linear layers as torch's. image: (channels, height, width). patch: side in pixels.
    Logits are not scaled. Raises ValueError where patches do not tile the image.
    """

    def __init__(
        self, image: tuple[int, int, int], classes: int, *, patch: int, dim: int, position_std: float = 0.02
    ) -> None:
        super().__init__()
        self.input_shape, self.classes = image, classes
        count = patch_count(image, patch)
        self.position = nn.Parameter(position_std * torch.randn(1, count, dim))
        self.embedding = PatchEmbedding(image[0], patch, dim)
        self.W = nn.Parameter(torch.zeros(dim, dim))
        self.head = nn.Linear(count * dim, classes)

    def forward(self, images: Tensor) -> Tensor:
        """(n, *image) -> logits (n, classes)."""
        tokens = self.tokens(images)
        return self.head((self.probabilities(tokens) @ tokens).flatten(1))

    def tokens(self, images: Tensor) -> Tensor:
        """X, (n, patches, dim)."""
        return self.embedding(images) + self.position

    def probabilities(self, tokens: Tensor) -> Tensor:
        """softmax(X W x_t) in row t, (n, patches, patches)."""
        return (tokens @ self.W.T @ tokens.transpose(1, 2)).softmax(-1)

    @torch.no_grad()
    def attention(self, images: Tensor) -> list[Tensor]:
        """The attention probabilities of the one layer and head, [(n, 1, patches, patches)]."""
        return [self.probabilities(self.tokens(images))[:, None]]

    @torch.no_grad()
    def key_query(self) -> Tensor:
        """W of the one head, (1, dim, dim)."""
        return self.W[None].clone()

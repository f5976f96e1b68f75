"""The vision transformer with [CLS] as a torch module (Max-margin Figs 6 and 7, Mirror descent, CIFAR-10)."""

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from attention_dynamics.deep.vision.layers import FIRST_TOKEN, Attention, Block, PatchEmbedding, patch_count

if TYPE_CHECKING:
    from attention_dynamics.deep.networks.small_data_vit import SmallDataViT
    from attention_dynamics.deep.networks.vit import ViT


class ViTModule(nn.Module):
    """The network that ``networks.vit.ViT`` describes; linear layers start as torch's.

    inputs: (channels, height, width). Raises ValueError where patches do not tile the image.
    """

    embed: type[nn.Module] = PatchEmbedding
    attend: type[Attention] = Attention

    def __init__(self, settings: "ViT | SmallDataViT", inputs: tuple[int, ...], classes: int) -> None:
        super().__init__()
        self.input_shape, self.classes, self.resize = inputs, classes, settings.resize
        channels, height, width = inputs
        image = (self.resize, self.resize) if self.resize else (height, width)
        dim, dropout, std = settings.dim, settings.dropout, settings.position_std
        self.cls = nn.Parameter(std * torch.randn(1, 1, dim))
        self.position = nn.Parameter(std * torch.randn(1, 1 + patch_count(image, settings.patch), dim))
        self.embedding = self.embed(channels, settings.patch, dim)
        self.dropout = nn.Dropout(dropout)
        attention = (dim, settings.heads, settings.head_dim, dropout, settings.bias)
        # Annotated as modules of unknown type, because blocks have more methods than ``forward``.
        self.blocks: Any = nn.ModuleList(
            Block(self.attend(*attention), dim, settings.mlp, dropout) for _ in range(settings.depth)
        )
        self.norm, self.head = nn.LayerNorm(dim), nn.Linear(dim, classes)

    def forward(self, images: Tensor) -> Tensor:
        """Map (n, channels, height, width) to logits (n, classes)."""
        tokens = self._last_input(images)
        # Nothing reads the patches of the last block.
        cls = self.blocks[-1](tokens, FIRST_TOKEN)
        logits: Tensor = self.head(self.norm(cls[:, 0]))
        return logits

    def tokens(self, images: Tensor) -> Tensor:
        """Return the input of the first block, [CLS] and the patches, (n, 1 + patches, dim)."""
        if self.resize:
            images = functional.interpolate(images, (self.resize, self.resize), mode="bilinear")
        patches = self.embedding(images)
        tokens: Tensor = self.dropout(torch.cat([self.cls.expand(len(patches), -1, -1), patches], 1) + self.position)
        return tokens

    def _last_input(self, images: Tensor) -> Tensor:
        """Return the input of the last block, (n, 1 + patches, dim)."""
        tokens = self.tokens(images)
        for block in self.blocks[:-1]:
            tokens = block(tokens)
        return tokens

    @torch.no_grad()
    def attention(self, images: Tensor) -> list[Tensor]:
        """Return the attention probabilities of every layer, each (n, heads, T, T); without dropout in eval mode."""
        tokens, layers = self.tokens(images), []
        for block in self.blocks:
            layers.append(block.probabilities(tokens))
            tokens = block(tokens)
        return layers

    @torch.no_grad()
    def last_attention(self, images: Tensor) -> Tensor:
        """Return the attention probabilities of the last layer alone, (n, heads, T, T)."""
        probabilities: Tensor = self.blocks[-1].probabilities(self._last_input(images))
        return probabilities

    @torch.no_grad()
    def key_query(self) -> Tensor:
        """Return W_K W_Q' of every head of the last layer, (heads, dim, dim); see ``Attention.key_query``."""
        matrices: Tensor = self.blocks[-1].attention.key_query()
        return matrices

    @torch.no_grad()
    def projections(self) -> dict[str, Tensor]:
        """Return the weights of queries, keys and values, "Q", "K", "V" -> (depth, heads * head_dim, dim).

        Mirror descent's histograms for CIFAR-10 count their entries.
        """
        layers = [block.attention.projections() for block in self.blocks]
        return {name: torch.stack([layer[name] for layer in layers]) for name in "QKV"}

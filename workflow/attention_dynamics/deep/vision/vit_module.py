"""Vision transformers with [CLS] (Max-margin Figs 6, 7, Mirror descent 4.4), also for small data (Fast rates Fig 7)."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from attention_dynamics.vision.layers import FIRST, Attention, Block, LocalitySelfAttention, PatchEmbedding, patch_count


class ViT(nn.Module):
    """A pre-norm vision transformer (Dosovitskiy et al. 2021); its class is read off the first token, [CLS].

    image: (channels, height, width). patch: side in pixels. mlp: width of the hidden layers. head_dim: dim / heads
        unless given. dropout: after the embedding, attention, and both layers of the perceptrons.
    bias: of queries, keys and values. position_std: of the normal entries with which positions and [CLS] start; linear
        layers start as torch's. resize: side to which images are scaled first, bilinearly (Mirror descent 4.4: 48).
    Raises ValueError where patches do not tile the image, or heads do not divide dim.
    """

    def __init__(
        self, image: tuple[int, int, int], classes: int, *, patch: int, dim: int, depth: int, heads: int, mlp: int,
        head_dim: int | None = None, dropout: float = 0.0, bias: bool = False, position_std: float = 0.02,
        resize: int | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if head_dim is None and dim % heads:
            raise ValueError(f"heads: {heads} of them do not divide dim = {dim}; give head_dim")
        self.input_shape, self.classes, self.resize = image, classes, resize
        count = patch_count((image[0], resize, resize) if resize else image, patch)
        self.cls = nn.Parameter(position_std * torch.randn(1, 1, dim))
        self.position = nn.Parameter(position_std * torch.randn(1, 1 + count, dim))
        self.embedding = self.embed(image[0], patch, dim)
        self.dropout = nn.Dropout(dropout)
        sizes = (dim, heads, head_dim or dim // heads, dropout, bias)
        self.blocks = nn.ModuleList(Block(self.attend(*sizes), dim, mlp, dropout) for _ in range(depth))
        self.norm, self.head = nn.LayerNorm(dim), nn.Linear(dim, classes)

    embed: type[nn.Module] = PatchEmbedding
    attend: type[Attention] = Attention

    def forward(self, images: Tensor) -> Tensor:
        """(n, *image) -> logits (n, classes)."""
        tokens = self.tokens(images)
        for block in self.blocks[:-1]:
            tokens = block(tokens)
        # Nothing reads the patches of the last block.
        cls = self.blocks[-1](tokens, FIRST)
        return self.head(self.norm(cls[:, 0]))

    def tokens(self, images: Tensor) -> Tensor:
        """What enters the first block: [CLS] and the patches, (n, 1 + patches, dim)."""
        if self.resize:
            images = functional.interpolate(images, (self.resize, self.resize), mode="bilinear")
        patches = self.embedding(images)
        return self.dropout(torch.cat([self.cls.expand(len(patches), -1, -1), patches], 1) + self.position)

    @torch.no_grad()
    def attention(self, images: Tensor) -> list[Tensor]:
        """The attention probabilities of every layer, each (n, heads, T, T); in ``eval`` mode those of no dropout."""
        tokens, layers = self.tokens(images), []
        for block in self.blocks:
            layers.append(block.probabilities(tokens))
            tokens = block(tokens)
        return layers

    @torch.no_grad()
    def last_attention(self, images: Tensor) -> Tensor:
        """Those of the last layer alone, (n, heads, T, T)."""
        tokens = self.tokens(images)
        for block in self.blocks[:-1]:
            tokens = block(tokens)
        return self.blocks[-1].probabilities(tokens)

    @torch.no_grad()
    def key_query(self) -> Tensor:
        """W_K W_Q' of every head of the last layer, (heads, dim, dim); see ``Attention.key_query``."""
        return self.blocks[-1].attention.key_query()

    @torch.no_grad()
    def projections(self) -> dict[str, Tensor]:
        """The weights of queries, keys and values, "Q", "K", "V" -> (depth, heads * head_dim, dim).

        What Mirror descent's histograms count (4.5).
        """
        layers = [block.attention.projections() for block in self.blocks]
        return {name: torch.stack([layer[name] for layer in layers]) for name in "QKV"}


class ShiftedPatchEmbedding(nn.Module):
    """Patches of the image and of four shifted copies, normalized and mapped to tokens (Lee et al. 2021, eqs. 1 to 3).

    Shifts are by one pixel along the axes, as in public code of one of Fast rates' authors; Lee et al. shift by
    half a patch along the diagonals. What is shifted in is zero.
    """

    SHIFTS = ((1, -1, 0, 0), (-1, 1, 0, 0), (0, 0, 1, -1), (0, 0, -1, 1))

    def __init__(self, channels: int, patch: int, dim: int) -> None:
        super().__init__()
        self.patch = patch
        size = (1 + len(self.SHIFTS)) * channels * patch**2
        self.project = nn.Sequential(nn.LayerNorm(size), nn.Linear(size, dim))

    def forward(self, images: Tensor) -> Tensor:
        """(n, channels, height, width) -> (n, patches, dim)."""
        copies = torch.cat([images, *(functional.pad(images, shift) for shift in self.SHIFTS)], 1)
        return self.project(functional.unfold(copies, self.patch, stride=self.patch).transpose(1, 2))


class SmallDataViT(ViT):
    """ViT with shifted patch tokenization and locality self-attention (Lee et al. 2021)."""

    embed, attend = ShiftedPatchEmbedding, LocalitySelfAttention

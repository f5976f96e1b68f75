"""Networks on images as torch modules: patches, multi-head attention, and the vision transformers made of them."""

import math
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional


def patch_count(image: tuple[int, int], patch: int) -> int:
    """Return the number of patches of patch x patch pixels in an image (height, width).

    Raises ValueError if the image cannot be divided into such patches.
    """
    height, width = image
    if height % patch or width % patch:
        raise ValueError(
            f"patch: an image of {height} x {width} pixels cannot be divided into patches of {patch} x {patch}"
        )
    return (height // patch) * (width // patch)


class PatchEmbedding(nn.Module):
    """Each patch mapped linearly to a token (Dosovitskiy et al. 2021, eq. 1)."""

    def __init__(self, channels: int, patch: int, dim: int) -> None:
        super().__init__()
        self.patch = patch
        self.linear = nn.Linear(channels * patch**2, dim)

    def forward(self, images: Tensor) -> Tensor:
        """Map (n, channels, height, width) to (n, patches, dim), with the patches in row-major order."""
        tokens: Tensor = self.linear(functional.unfold(images, self.patch, stride=self.patch).transpose(1, 2))
        return tokens


class Attention(nn.Module):
    """Multi-head softmax self-attention, without dropout on its probabilities (Vaswani et al. 2017)."""

    def __init__(self, dim: int, heads: int, head_dim: int, dropout: float, bias: bool) -> None:
        super().__init__()
        self.heads, self.head_dim = heads, head_dim
        self.query_key_value = nn.Linear(dim, 3 * heads * head_dim, bias=bias)
        self.out = nn.Linear(heads * head_dim, dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, tokens: Tensor, queries: int | None = None) -> Tensor:
        """Map (n, T, dim) to the outputs at the first ``queries`` positions, (n, queries, dim); None: at all."""
        query, key, value = self.project(tokens)
        mask = self.mask(tokens)
        mask = mask if mask is None else mask[:queries]
        query = query[:, :, :queries]
        mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask, scale=1.0)
        output: Tensor = self.dropout(self.out(mixed.transpose(1, 2).flatten(2)))
        return output

    def probabilities(self, tokens: Tensor) -> Tensor:
        """Return the attention probabilities, (n, heads, queries, keys); they sum to one over the keys."""
        query, key, _ = self.project(tokens)
        logits = query @ key.transpose(-1, -2)
        mask = self.mask(tokens)
        return (logits if mask is None else logits.masked_fill(~mask, -torch.inf)).softmax(-1)

    def project(self, tokens: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return queries, already scaled, keys and values, each (n, heads, T, head_dim)."""
        query, key, value = self.query_key_value(tokens).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        return query * self.scale(), key, value

    def scale(self) -> float | Tensor:
        """Return the number by which queries are multiplied."""
        return 1 / math.sqrt(self.head_dim)

    def mask(self, tokens: Tensor) -> Tensor | None:
        """Return a mask, (queries, keys), True where attention is allowed, or None if it is allowed everywhere."""
        return None

    def projections(self) -> dict[str, Tensor]:
        """Return the weights of queries, keys and values, "Q", "K", "V" -> (heads * head_dim, dim)."""
        return dict(zip("QKV", self.query_key_value.weight.chunk(3), strict=True))

    def key_query(self) -> Tensor:
        """Return W_K W_Q' of every head, (heads, dim, dim), the combined key-query matrix of Max-margin Fig 7.

        For tokens X, (T, dim), the logits of a query x are X W_K W_Q' x, except for scale and biases.
        """
        key, query = (torch.unflatten(self.projections()[name], 0, (self.heads, -1)) for name in "KQ")
        return key.transpose(1, 2) @ query


class Block(nn.Module):
    """Attention and a perceptron with one hidden layer, each after a layer norm and added to its input (pre-norm)."""

    def __init__(self, attention: Attention, dim: int, mlp: int, dropout: float) -> None:
        super().__init__()
        self.attention_norm, self.mlp_norm = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attention = attention
        self.mlp = nn.Sequential(
            nn.Linear(dim, mlp), nn.GELU(), nn.Dropout(dropout), nn.Linear(mlp, dim), nn.Dropout(dropout)
        )

    def forward(self, tokens: Tensor, queries: int | None = None) -> Tensor:
        """See ``Attention.forward``."""
        tokens = tokens[:, :queries] + self.attention(self.attention_norm(tokens), queries)
        output: Tensor = tokens + self.mlp(self.mlp_norm(tokens))
        return output

    def probabilities(self, tokens: Tensor) -> Tensor:
        """Return the attention probabilities, (n, heads, T, T), for the tokens that enter the block."""
        return self.attention.probabilities(self.attention_norm(tokens))


class PatchAttentionModule(nn.Module):
    """Self-attention on patches: output t is X' softmax(X W x_t), and the logits are linear in all outputs.

    Tokens X are patches, mapped linearly, plus learned positions. W, (dim, dim), starts at zero, so that attention is
    uniform at first; linear layers start as torch's. X W x_t is not scaled. inputs: (channels, height, width). Raises
    ValueError if patches do not tile the image.
    """

    def __init__(self, inputs: tuple[int, ...], classes: int, *, patch: int, dim: int, position_std: float) -> None:
        super().__init__()
        self.input_shape, self.classes = inputs, classes
        channels, height, width = inputs
        count = patch_count((height, width), patch)
        self.position = nn.Parameter(position_std * torch.randn(1, count, dim))
        self.embedding = PatchEmbedding(channels, patch, dim)
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
    def key_query(self) -> Tensor:
        """Return W of the one head, (1, dim, dim)."""
        return self.W[None].clone()


class LocalitySelfAttention(Attention):
    """Attention with a learned temperature; no token attends to itself (Lee et al. 2021, eqs. 4 to 7)."""

    def __init__(self, dim: int, heads: int, head_dim: int, dropout: float, bias: bool) -> None:
        super().__init__(dim, heads, head_dim, dropout, bias)
        self.log_scale = nn.Parameter(torch.tensor(-math.log(head_dim) / 2))

    def scale(self) -> Tensor:
        """Return exp(log_scale), the learned factor of the queries, at first 1 / sqrt(head_dim)."""
        return self.log_scale.exp()

    def mask(self, tokens: Tensor) -> Tensor:
        """Return a mask, (T, T), that is False on the diagonal only."""
        return ~torch.eye(tokens.shape[1], dtype=torch.bool, device=tokens.device)


class ShiftedPatchEmbedding(nn.Module):
    """Patches of the image and of four shifted copies, normalized and mapped to tokens (Lee et al. 2021, eqs. 1 to 3).

    Shifts are by one pixel along the axes, as in public code of one of Fast rates' authors; Lee et al. shift by
    half a patch along the diagonals. Pixels that are shifted in are zero.
    """

    SHIFTS = ((1, -1, 0, 0), (-1, 1, 0, 0), (0, 0, 1, -1), (0, 0, -1, 1))

    def __init__(self, channels: int, patch: int, dim: int) -> None:
        super().__init__()
        self.patch = patch
        size = (1 + len(self.SHIFTS)) * channels * patch**2
        self.project = nn.Sequential(nn.LayerNorm(size), nn.Linear(size, dim))

    def forward(self, images: Tensor) -> Tensor:
        """Map (n, channels, height, width) to (n, patches, dim)."""
        copies = torch.cat([images, *(functional.pad(images, shift) for shift in self.SHIFTS)], 1)
        tokens: Tensor = self.project(functional.unfold(copies, self.patch, stride=self.patch).transpose(1, 2))
        return tokens


class ViTModule(nn.Module):
    """A pre-norm vision transformer that reads its class off the first token, [CLS]; linear layers start as torch's.

    inputs: (channels, height, width). embedding, attention: classes of the layers. resize: side in pixels to which
    images are scaled first. Raises ValueError if patches do not tile the image.
    """

    def __init__(
        self, inputs: tuple[int, ...], classes: int, *, patch: int, dim: int, depth: int, heads: int, head_dim: int,
        mlp: int, dropout: float, position_std: float, bias: bool = False, resize: int | None = None,
        embedding: type[nn.Module] = PatchEmbedding, attention: type[Attention] = Attention,
    ) -> None:  # fmt: skip
        super().__init__()
        self.input_shape, self.classes, self.resize = inputs, classes, resize
        channels, height, width = inputs
        image = (resize, resize) if resize else (height, width)
        self.cls = nn.Parameter(position_std * torch.randn(1, 1, dim))
        self.position = nn.Parameter(position_std * torch.randn(1, 1 + patch_count(image, patch), dim))
        self.embedding = embedding(channels, patch, dim)
        self.dropout = nn.Dropout(dropout)
        # Any, because mypy knows only ``forward`` of a module in a list.
        self.blocks: Any = nn.ModuleList(
            Block(attention(dim, heads, head_dim, dropout, bias), dim, mlp, dropout) for _ in range(depth)
        )
        self.norm, self.head = nn.LayerNorm(dim), nn.Linear(dim, classes)

    def forward(self, images: Tensor) -> Tensor:
        """Map (n, channels, height, width) to logits (n, classes)."""
        tokens = self._last_input(images)
        # The class is read off [CLS] alone, so the last block need not compute the patches.
        cls = self.blocks[-1](tokens, queries=1)
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

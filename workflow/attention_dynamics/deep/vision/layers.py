"""Layers of the networks on images: patches, multi-head attention, and blocks of both."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

# The positions whose tokens a block returns.
ALL_TOKENS, FIRST_TOKEN = slice(None), slice(1)


def patch_count(image: tuple[int, int], patch: int) -> int:
    """Return the number of patches of patch x patch pixels in an image (height, width).

    Raises ValueError where the image cannot be divided into them.
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
        """Map (n, channels, height, width) to (n, patches, dim), row by row."""
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

    def forward(self, tokens: Tensor, query_positions: slice = ALL_TOKENS) -> Tensor:
        """Map (n, T, dim) to (n, T, dim), or to the tokens at the query positions only."""
        query, key, value = self.project(tokens)
        mask = self.mask(tokens)
        mask = mask if mask is None else mask[query_positions]
        query = query[:, :, query_positions]
        mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask, scale=1.0)
        output: Tensor = self.dropout(self.out(mixed.transpose(1, 2).flatten(2)))
        return output

    def probabilities(self, tokens: Tensor) -> Tensor:
        """Return the attention of each token, (n, heads, T, T); the last axis sums to one."""
        query, key, _ = self.project(tokens)
        logits = query @ key.transpose(-1, -2)
        mask = self.mask(tokens)
        return (logits if mask is None else logits.masked_fill(~mask, -torch.inf)).softmax(-1)

    def project(self, tokens: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return queries, already scaled, keys and values, each (n, heads, T, head_dim)."""
        query, key, value = self.query_key_value(tokens).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        return query * self.scale(), key, value

    def scale(self) -> float | Tensor:
        """Return the factor of the queries."""
        return 1 / math.sqrt(self.head_dim)

    def mask(self, tokens: Tensor) -> Tensor | None:
        """Return the mask of allowed attention, (T, T), or None."""
        return None

    def projections(self) -> dict[str, Tensor]:
        """Return the weights of queries, keys and values, "Q", "K", "V" -> (heads * head_dim, dim)."""
        return dict(zip("QKV", self.query_key_value.weight.chunk(3), strict=True))

    def key_query(self) -> Tensor:
        """Return W_K W_Q' of every head, (heads, dim, dim), the combined key-query matrix of Max-margin Fig 7.

        Except for scale and biases, the logits of a query x are X W_K W_Q' x.
        """
        key, query = (torch.unflatten(self.projections()[name], 0, (self.heads, -1)) for name in "KQ")
        return key.transpose(1, 2) @ query


class Block(nn.Module):
    """Attention and a perceptron with one hidden layer, each with its layer norm before it and added to its input."""

    def __init__(self, attention: Attention, dim: int, mlp: int, dropout: float) -> None:
        super().__init__()
        self.attention_norm, self.mlp_norm = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attention = attention
        self.mlp = nn.Sequential(
            nn.Linear(dim, mlp), nn.GELU(), nn.Dropout(dropout), nn.Linear(mlp, dim), nn.Dropout(dropout)
        )

    def forward(self, tokens: Tensor, query_positions: slice = ALL_TOKENS) -> Tensor:
        """Map (n, T, dim) to (n, T, dim), or to the tokens at the query positions only."""
        tokens = tokens[:, query_positions] + self.attention(self.attention_norm(tokens), query_positions)
        output: Tensor = tokens + self.mlp(self.mlp_norm(tokens))
        return output

    def probabilities(self, tokens: Tensor) -> Tensor:
        """Return the attention probabilities, (n, heads, T, T), for the tokens that enter the block."""
        return self.attention.probabilities(self.attention_norm(tokens))

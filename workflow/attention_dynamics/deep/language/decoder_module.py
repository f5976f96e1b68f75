"""The decoder that models language (Scan and snap Figs 7 and 10)."""

import math

import torch
from torch import Tensor, nn

WIDTH = 0.1


class Decoder(nn.Module):
    """Tokens to the logits of the next token at every position, from those up to it.

    Post-norm layers of torch (ReLU, dropout also on attention's probabilities) with sinusoidal positions (Vaswani et
    al. 2017) added to embeddings that are multiplied by sqrt(dim). Embedding and output weights start uniform in
    +- 0.1, the output's bias at zero, the layers as torch's, all alike. This is PyTorch's tutorial on language
    modelling, which the published notebook follows.

    vocabulary: number of tokens. segment: how many are read at once. mlp: width of the hidden layers.
    Raises ValueError where heads do not divide dim, or dim is odd.
    """

    def __init__(
        self, vocabulary: int, segment: int, *, dim: int, depth: int, heads: int, mlp: int, dropout: float
    ) -> None:
        super().__init__()
        if dim % heads or dim % 2:
            raise ValueError(f"dim: needs to be even and divisible by heads = {heads}, got {dim}")
        self.input_shape, self.vocabulary, self.classes, self.dim = (segment,), vocabulary, vocabulary, dim
        self.embedding = nn.Embedding(vocabulary, dim)
        self.dropout = nn.Dropout(dropout)
        layer = nn.TransformerEncoderLayer(dim, heads, mlp, dropout, batch_first=True)
        self.layers = nn.TransformerEncoder(layer, depth, enable_nested_tensor=False).layers
        self.head = nn.Linear(dim, vocabulary)
        for weights in (self.embedding.weight, self.head.weight):
            nn.init.uniform_(weights, -WIDTH, WIDTH)
        nn.init.zeros_(self.head.bias)
        self.register_buffer("position", sinusoids(segment, dim), persistent=False)
        self.register_buffer("future", torch.ones(segment, segment, dtype=torch.bool).triu(1), persistent=False)

    def forward(self, tokens: Tensor) -> Tensor:
        """(n, segment) -> (n, vocabulary, segment)."""
        hidden = self.embedded(tokens)
        for layer in self.layers:
            hidden = layer(hidden, src_mask=self.future, is_causal=True)
        return self.head(hidden).transpose(1, 2)

    def embedded(self, tokens: Tensor) -> Tensor:
        """What enters the first layer, (n, segment, dim)."""
        return self.dropout(self.embedding(tokens) * math.sqrt(self.dim) + self.position)

    @torch.no_grad()
    def attention(self, tokens: Tensor) -> Tensor:
        """The lowest layer's attention probabilities, (n, heads, segment, segment); in ``eval`` mode of no dropout."""
        hidden = self.embedded(tokens)
        attend = self.layers[0].self_attn
        return attend(hidden, hidden, hidden, attn_mask=self.future, average_attn_weights=False)[1]


def sinusoids(length: int, dim: int) -> Tensor:
    """Positions as sines and cosines of geometrically falling frequencies, (length, dim) (Vaswani et al. 2017, 3.5)."""
    frequencies = torch.exp(torch.arange(0, dim, 2) * (-math.log(1e4) / dim))
    angles = torch.arange(length)[:, None] * frequencies
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)

"""The decoder that models language, as a torch module (Scan and snap Figs 7 and 10)."""

import math
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

if TYPE_CHECKING:
    from attention_dynamics.deep.networks.decoder import Decoder

# Embeddings and output weights start uniform from minus this to this.
INITIAL_BOUND = 0.1


class DecoderModule(nn.Module):
    """A decoder, which maps tokens to logits of the next token at every position.

    Post-norm layers of torch (ReLU, dropout also on attention's probabilities) with sinusoidal positions (Vaswani et
    al. 2017) added to embeddings that are multiplied by sqrt(dim). The output's bias starts at zero, the layers as
    torch's, all alike. inputs: (tokens that are read at once, size of the vocabulary).
    """

    def __init__(self, settings: "Decoder", inputs: tuple[int, ...], classes: int) -> None:
        super().__init__()
        segment, self.vocabulary = inputs
        self.input_shape, self.classes, self.dim = (segment,), classes, settings.dim
        self.embedding = nn.Embedding(self.vocabulary, self.dim)
        self.dropout = nn.Dropout(settings.dropout)
        layer = nn.TransformerEncoderLayer(self.dim, settings.heads, settings.mlp, settings.dropout, batch_first=True)
        self.layers = nn.TransformerEncoder(layer, settings.depth, enable_nested_tensor=False).layers
        self.head = nn.Linear(self.dim, classes)
        for weights in (self.embedding.weight, self.head.weight):
            nn.init.uniform_(weights, -INITIAL_BOUND, INITIAL_BOUND)
        nn.init.zeros_(self.head.bias)
        self.register_buffer("position", sinusoids(segment, self.dim), persistent=False)
        self.register_buffer("future", torch.ones(segment, segment, dtype=torch.bool).triu(1), persistent=False)

    def forward(self, tokens: Tensor) -> Tensor:
        """Map (n, segment) to logits (n, vocabulary, segment)."""
        hidden = self.embed(tokens)
        for layer in self.layers:
            hidden = layer(hidden, src_mask=self.future, is_causal=True)
        logits: Tensor = self.head(hidden).transpose(1, 2)
        return logits

    def embed(self, tokens: Tensor) -> Tensor:
        """Return the input of the first layer, (n, segment, dim)."""
        hidden: Tensor = self.dropout(self.embedding(tokens) * math.sqrt(self.dim) + self.position)
        return hidden

    @torch.no_grad()
    def attention(self, tokens: Tensor) -> Tensor:
        """Return the lowest layer's attention probabilities, (n, heads, segment, segment); no dropout in eval mode."""
        hidden = self.embed(tokens)
        layer = self.layers[0]
        assert isinstance(layer, nn.TransformerEncoderLayer)
        probabilities: Tensor = layer.self_attn(
            hidden, hidden, hidden, attn_mask=self.future, average_attn_weights=False
        )[1]
        return probabilities


def sinusoids(length: int, dim: int) -> Tensor:
    """Return positions as sines and cosines of geometrically falling frequencies, (length, dim).

    See Vaswani et al. 2017, 3.5.
    """
    frequencies = torch.exp(torch.arange(0, dim, 2) * (-math.log(1e4) / dim))
    angles = torch.arange(length)[:, None] * frequencies
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)

"""The decoder that models language, as a torch module, and its segments of text (Scan and snap Figs 7 and 10)."""

import math

import numpy as np
import torch
from torch import Tensor, nn

from attention_dynamics.deep.datasets.tokens import Ids

# Embeddings and output weights start uniformly distributed in [-INITIAL_BOUND, INITIAL_BOUND].
INITIAL_BOUND = 0.1


class DecoderModule(nn.Module):
    """A decoder, which maps tokens to logits of the next token at every position.

    It consists of torch's post-norm layers (ReLU, dropout also on the attention probabilities). Their input is the
    embeddings times sqrt(dim), plus sinusoidal positions (Vaswani et al. 2017). The bias of the output layer starts at
    zero. All post-norm layers start with the same weights, drawn as torch does. inputs: (tokens that are read at
    once, size of the vocabulary).
    """

    def __init__(
        self, inputs: tuple[int, ...], classes: int, *, dim: int, depth: int, heads: int, mlp: int, dropout: float
    ) -> None:
        super().__init__()
        segment, self.vocabulary = inputs
        self.input_shape, self.classes, self.dim = (segment,), classes, dim
        self.embedding = nn.Embedding(self.vocabulary, dim)
        self.dropout = nn.Dropout(dropout)
        layer = nn.TransformerEncoderLayer(dim, heads, mlp, dropout, batch_first=True)
        self.layers = nn.TransformerEncoder(layer, depth, enable_nested_tensor=False).layers
        self.head = nn.Linear(dim, classes)
        for weights in (self.embedding.weight, self.head.weight):
            nn.init.uniform_(weights, -INITIAL_BOUND, INITIAL_BOUND)
        nn.init.zeros_(self.head.bias)
        self.register_buffer("position", sinusoids(segment, dim), persistent=False)
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


def cut_segments(ids: Ids, columns: int, length: int) -> tuple[Ids, Ids]:
    """Cut a text (T,) into segments. Return inputs and targets, each (segments, length); targets are one token later.

    The text is cut into ``columns`` columns of equal length. The first segments of all columns come first, then the
    second ones, as in the batches of language models. Words that do not fill a column or a segment are dropped.
    Raises ValueError for a text that is too short for one segment in every column.
    """
    height = len(ids) // columns
    count = (height - 1) // length
    if count < 1:
        raise ValueError(f"words: {len(ids)} are too few for {columns} columns of {length + 1}")
    table = ids[: columns * height].reshape(columns, height)
    inputs, targets = (table[:, k : k + count * length].reshape(columns, count, length) for k in (0, 1))
    rows = [np.ascontiguousarray(x.swapaxes(0, 1)).reshape(-1, length) for x in (inputs, targets)]
    return rows[0], rows[1]

"""The encoder that classifies texts into two classes, as a torch module (Mirror descent, IMDb)."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from attention_dynamics.deep.datasets.tokens import PAD_ID


class Block(nn.Module):
    """Self-attention and a perceptron, each added to its input and then normalized (post-norm). No layer has a bias."""

    def __init__(self, dim: int, heads: int, mlp: int, dropout: float) -> None:
        super().__init__()
        self.heads, self.rate = heads, dropout
        self.query_key_value = nn.Linear(dim, 3 * dim, bias=False)
        self.out = nn.Linear(dim, dim, bias=False)
        self.mlp = nn.Sequential(nn.Linear(dim, mlp, bias=False), nn.GELU(), nn.Linear(mlp, dim, bias=False))
        self.dropout = nn.Dropout(dropout)
        self.norms = nn.ModuleList(nn.LayerNorm(dim, bias=False) for _ in range(2))

    def forward(self, hidden: Tensor, allowed: Tensor, queries: int | None = None) -> Tensor:
        """Map (n, T, dim) to the hidden states at the first ``queries`` positions, (n, queries, dim); None: at all.

        allowed: (n, 1, 1, T), True at the positions that can be attended to.
        """
        query, key, value = self._project(hidden)
        query = query[:, :, :queries]
        rate = self.rate if self.training else 0.0
        mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=allowed, dropout_p=rate)
        update = self.dropout(self.out(mixed.transpose(1, 2).flatten(2)))
        hidden = self.norms[0](hidden[:, :queries] + update)
        output: Tensor = self.norms[1](hidden + self.dropout(self.mlp(hidden)))
        return output

    def attention(self, hidden: Tensor, allowed: Tensor) -> Tensor:
        """Return the attention probabilities, (n, heads, queries, keys), without dropout. allowed: see ``forward``."""
        query, key, _ = self._project(hidden)
        logits = query @ key.mT / query.shape[-1] ** 0.5
        probabilities: Tensor = logits.masked_fill(~allowed, -torch.inf).softmax(-1)
        return probabilities

    def _project(self, hidden: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return queries, keys and values, each (n, heads, T, dim / heads)."""
        query, key, value = self.query_key_value(hidden).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        return query, key, value

    def projections(self) -> dict[str, Tensor]:
        """Return the weights of queries, keys and values, "Q", "K", "V" -> (dim, dim)."""
        return dict(zip("QKV", self.query_key_value.weight.chunk(3), strict=True))


class TextClassifierModule(nn.Module):
    """Encoder of post-norm blocks on embedded words and positions. It reads one of two classes off [CLS].

    Embeddings and positions start with standard normal entries. No layer has a bias, not even a layer norm. The logit
    of class 1 is linear in the output at [CLS]; the logit of class 0 is zero. inputs: (2, length of the texts, size of
    the vocabulary).
    """

    def __init__(self, inputs: tuple[int, ...], *, dim: int, depth: int, heads: int, mlp: int, dropout: float) -> None:
        super().__init__()
        *shape, self.vocabulary = inputs
        self.input_shape, self.classes = tuple(shape), 2
        self.embedding = nn.Embedding(self.vocabulary, dim)
        self.position = nn.Parameter(torch.randn(shape[-1], dim))
        self.dropout = nn.Dropout(dropout)
        # The type is Any, because mypy knows the items only as ``nn.Module``, which has no ``attention``.
        self.blocks: Any = nn.ModuleList(Block(dim, heads, mlp, dropout) for _ in range(depth))
        self.head = nn.Linear(dim, 1, bias=False)

    def forward(self, texts: Tensor) -> Tensor:
        """Map texts (n, 2, T) to logits (n, 2). Only ``texts[:, 0]``, the ids of the tokens, are read."""
        hidden, allowed = self._last_input(texts[:, 0])
        cls = self.blocks[-1](hidden, allowed, queries=1)
        return functional.pad(self.head(cls[:, 0]), (1, 0))

    @torch.no_grad()
    def last_attention(self, tokens: Tensor) -> Tensor:
        """Return the attention probabilities of the last block, (n, heads, queries, keys), on texts (n, T).

        They are 0 for keys that are padding. T may be less than the length of the training texts. Call it in eval mode.
        """
        hidden, allowed = self._last_input(tokens)
        attention: Tensor = self.blocks[-1].attention(hidden, allowed)
        return attention

    def _last_input(self, tokens: Tensor) -> tuple[Tensor, Tensor]:
        """Return the arguments of the last block's ``forward``: hidden states, (n, T, dim), and ``allowed``."""
        hidden = self.dropout(self.embedding(tokens) + self.position[: tokens.shape[1]])
        allowed = (tokens != PAD_ID)[:, None, None]
        for block in self.blocks[:-1]:
            hidden = block(hidden, allowed)
        return hidden, allowed

    @torch.no_grad()
    def projections(self) -> dict[str, Tensor]:
        """Return the weights of queries, keys and values, "Q", "K", "V" -> (depth, dim, dim).

        Mirror descent's histograms for IMDb count their entries.
        """
        layers = [block.projections() for block in self.blocks]
        return {name: torch.stack([layer[name] for layer in layers]) for name in "QKV"}

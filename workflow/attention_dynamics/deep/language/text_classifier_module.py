"""The encoder that tells two classes of texts apart (Mirror descent 4.1 to 4.3)."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from attention_dynamics.datasets.encoding import PAD_ID

# Which positions a block is asked for.
EVERY, FIRST = slice(None), slice(1)


class Block(nn.Module):
    """Self-attention and a perceptron, each added to its input and normalised after it; nothing has a bias."""

    def __init__(self, dim: int, heads: int, mlp: int, dropout: float) -> None:
        super().__init__()
        self.heads, self.rate = heads, dropout
        self.query_key_value = nn.Linear(dim, 3 * dim, bias=False)
        self.out = nn.Linear(dim, dim, bias=False)
        self.mlp = nn.Sequential(nn.Linear(dim, mlp, bias=False), nn.GELU(), nn.Linear(mlp, dim, bias=False))
        self.dropout = nn.Dropout(dropout)
        self.norms = nn.ModuleList(nn.LayerNorm(dim, bias=False) for _ in range(2))

    def forward(self, hidden: Tensor, allowed: Tensor, asked: slice = EVERY) -> Tensor:
        """(n, T, dim) -> (n, T, dim), or for those positions only that are asked for.

        allowed: (n, 1, 1, T), the positions that can be attended to.
        """
        query, key, value = self._query_key_value(hidden)
        rate = self.rate if self.training else 0.0
        mixed = functional.scaled_dot_product_attention(
            query[:, :, asked], key, value, attn_mask=allowed, dropout_p=rate
        )
        hidden = self.norms[0](hidden[:, asked] + self.dropout(self.out(mixed.transpose(1, 2).flatten(2))))
        return self.norms[1](hidden + self.dropout(self.mlp(hidden)))

    def attention(self, hidden: Tensor, allowed: Tensor) -> Tensor:
        """The probabilities (n, heads, T, T) that are attended with, of no dropout. Arguments as of ``forward``."""
        query, key, _ = self._query_key_value(hidden)
        logits = query @ key.mT / query.shape[-1] ** 0.5
        return logits.masked_fill(~allowed, -torch.inf).softmax(-1)

    def _query_key_value(self, hidden: Tensor) -> Tensor:
        """(n, T, dim) -> (3, n, heads, T, dim / heads)."""
        return self.query_key_value(hidden).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)

    def projections(self) -> dict[str, Tensor]:
        """The weights of queries, keys and values, "Q", "K", "V" -> (dim, dim)."""
        return dict(zip("QKV", self.query_key_value.weight.chunk(3), strict=True))


class TextClassifier(nn.Module):
    """Embedded words and positions through post-norm blocks; the class is read off the first token, [CLS].

    Embeddings and positions start with normal entries of deviation 1, and nothing has a bias, not even layer norms. The
    logit of the second class is linear in the first token, that of the first zero. inputs: (2, length of the texts,
    size of the vocabulary). Raises ValueError where heads do not divide dim.
    """

    def __init__(
        self, inputs: tuple[int, int, int], *, dim: int, depth: int, heads: int, mlp: int, dropout: float
    ) -> None:
        super().__init__()
        if dim % heads:
            raise ValueError(f"heads: {heads} of them do not divide dim = {dim}")
        *shape, self.vocabulary = inputs
        self.input_shape, self.classes = tuple(shape), 2
        self.embedding = nn.Embedding(self.vocabulary, dim)
        self.position = nn.Parameter(torch.randn(shape[-1], dim))
        self.dropout = nn.Dropout(dropout)
        self.blocks = nn.ModuleList(Block(dim, heads, mlp, dropout) for _ in range(depth))
        self.head = nn.Linear(dim, 1, bias=False)

    def forward(self, texts: Tensor) -> Tensor:
        """(n, 2, T), of which it reads the numbers of words -> logits (n, 2)."""
        hidden, allowed = self._embedded(texts[:, 0])
        for block in self.blocks[:-1]:
            hidden = block(hidden, allowed)
        cls = self.blocks[-1](hidden, allowed, FIRST)
        return functional.pad(self.head(cls[:, 0]), (1, 0))

    @torch.no_grad()
    def last_attention(self, tokens: Tensor) -> Tensor:
        """The last block's attention, (n, heads, T, T), on texts (n, T) that may be shorter; 0 on padding.

        To be called in eval mode.
        """
        hidden, allowed = self._embedded(tokens)
        for block in self.blocks[:-1]:
            hidden = block(hidden, allowed)
        return self.blocks[-1].attention(hidden, allowed)

    def _embedded(self, tokens: Tensor) -> tuple[Tensor, Tensor]:
        """What enters the first block, and which positions can be attended to."""
        positions = self.position[: tokens.shape[1]]
        return self.dropout(self.embedding(tokens) + positions), (tokens != PAD_ID)[:, None, None]

    @torch.no_grad()
    def projections(self) -> dict[str, Tensor]:
        """The weights of queries, keys and values, "Q", "K", "V" -> (depth, dim, dim).

        What Mirror descent's histograms count (4.3).
        """
        layers = [block.projections() for block in self.blocks]
        return {name: torch.stack([layer[name] for layer in layers]) for name in "QKV"}

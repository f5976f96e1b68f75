"""Base class of networks with multi-head attention whose heads share the dimension of the tokens."""

from typing import Self

from pydantic import model_validator

from attention_dynamics.deep.networks.network import Network
from attention_dynamics.types import Count, Probability


class Transformer(Network):
    """Blocks of multi-head attention and of perceptrons with one hidden layer.

    dim: of the tokens. depth: number of blocks. heads: of each block, of dimension dim / heads. mlp: width of the
    hidden layers. dropout: probability that an entry is set to zero in training.
    """

    dim: Count
    depth: Count
    heads: Count
    mlp: Count
    dropout: Probability = 0.0

    @model_validator(mode="after")
    def _check_heads(self) -> Self:
        if self.dim % self.heads:
            raise ValueError(f"heads: dim = {self.dim} is not divisible by {self.heads}")
        return self

    @property
    def head_dim(self) -> int:
        """Dimension of the queries and keys of a head."""
        return self.dim // self.heads

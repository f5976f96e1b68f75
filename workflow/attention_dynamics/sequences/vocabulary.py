"""Sizes alone: M tokens and K classes, all that closed forms of the theory need (Scan and snap, Section 4)."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.problems.problem import Array, Shape
from attention_dynamics.types import Count, VocabularySize


@dataclass(frozen=True)
class Vocabulary:
    """M tokens, K classes, each (1,)."""

    M: Array
    K: Array
    settings: dict[str, Array] = field(default_factory=dict)

    def to_arrays(self) -> dict[str, NDArray]:
        """Named arrays for the store."""
        return {"M": self.M, "K": self.K}

    @classmethod
    def from_arrays(cls, arrays: dict[str, NDArray]) -> "Vocabulary":
        """The inverse of ``to_arrays``."""
        return cls(**arrays)


def shape(*, M: VocabularySize, K: Count = 1) -> Shape:
    """P = 1."""
    return Shape(1, 1, 1, M, data="vocabulary")


def build(*, M: VocabularySize, K: Count = 1) -> Vocabulary:
    """M: at least 4, below which omega_1 does not exist."""
    return Vocabulary(np.array([M], float), np.array([K], float))

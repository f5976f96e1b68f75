"""Numbers M of tokens and K of classes, without data: closed forms need no more (Scan and snap, Section 4)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.problems.arrays import own_arrays
from attention_dynamics.problems.problem import Array
from attention_dynamics.problems.shape import Shape
from attention_dynamics.problems.source import ProblemSource
from attention_dynamics.types import Count, VocabularySize


@dataclass(frozen=True)
class Vocabulary:
    """M, the number of tokens, and K, the number of classes, (1,) each."""

    KIND: ClassVar[str] = "vocabulary"

    M: Array
    K: Array
    settings: dict[str, Array] = field(default_factory=dict)

    def __post_init__(self) -> None:
        own_arrays(self)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return named arrays for the store."""
        return {"kind": np.array(self.KIND), "M": self.M, "K": self.K}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Return the sizes from the arrays that ``to_arrays`` returned."""
        return cls(arrays["M"], arrays["K"])


class VocabularyShape(Shape):
    """Shape of ``Vocabulary``, which is a single problem."""

    data: ClassVar[str] = "vocabulary"


class VocabularySource(ProblemSource, kind="vocabulary"):
    """Size of a vocabulary. M: number of tokens, at least 4, as omega_1 (Lemma 8) requires. K: number of classes."""

    M: VocabularySize
    K: Count = 1

    @property
    def shape(self) -> VocabularyShape:
        return VocabularyShape()

    def build(self) -> Vocabulary:
        return Vocabulary(np.array([self.M], float), np.array([self.K], float))

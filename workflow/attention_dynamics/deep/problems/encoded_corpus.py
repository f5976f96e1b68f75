"""A running text as numbers of words."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

ARRAYS = ("train_ids", "valid_ids", "words")


@dataclass(frozen=True)
class EncodedCorpus:
    """A text as numbers of the words of its vocabulary.

    train_ids, valid_ids: (words,). words: the vocabulary, by number.
    """

    KIND: ClassVar[str] = "corpus"

    train_ids: NDArray[np.int32]
    valid_ids: NDArray[np.int32]
    words: NDArray[np.str_]

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return named arrays for the store."""
        return {"kind": np.array(self.KIND), **{name: getattr(self, name) for name in ARRAYS}}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Return the text that ``to_arrays`` describes."""
        return cls(**{name: arrays[name] for name in ARRAYS})

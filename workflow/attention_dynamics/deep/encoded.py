"""Texts as numbers of words, as they are stored for the networks that read them."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

CORPUS_ARRAYS = ("train_ids", "valid_ids", "words")
TEXT_ARRAYS = ("train_tokens", "train_labels", "test_tokens", "test_labels", "words", "classes")
SENTENCES = "sentences/"


@dataclass(frozen=True)
class EncodedCorpus:
    """A running text as numbers of the words of its vocabulary.

    train_ids, valid_ids: (T,), the numbers of the T words of the training or validation text. words: (V,), the word of
    each number.
    """

    KIND: ClassVar[str] = "corpus"

    train_ids: NDArray[np.int32]
    valid_ids: NDArray[np.int32]
    words: NDArray[np.str_]

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return named arrays for the store."""
        return {"kind": np.array(self.KIND), **{name: getattr(self, name) for name in CORPUS_ARRAYS}}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Return the text from the arrays that ``to_arrays`` returns."""
        return cls(**{name: arrays[name] for name in CORPUS_ARRAYS})


@dataclass(frozen=True)
class EncodedSentences:
    """S sentences, each with a designated word, as numbers of words (``datasets.sentences``).

    texts: (S,), the sentences. tokens: (S, T), the numbers of [CLS], the words, and [SEP] if the encoder uses it, then
    0 up to T, the length of the longest sentence. designated: (S,), position of the designated word in ``tokens``.
    labels: (S,), class of each sentence. listed: (), number of listed sentences, including those left out because
    their designated word is not a single known token or is cut off.
    """

    texts: NDArray[np.str_]
    tokens: NDArray[np.int32]
    designated: NDArray[np.int64]
    labels: NDArray[np.int64]
    listed: NDArray[np.int64]

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return named arrays for the store."""
        return {SENTENCES + field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Self | None:
        """Return the sentences from the arrays of ``to_arrays``, None if there are none. Other arrays are ignored."""
        own = {name.removeprefix(SENTENCES): array for name, array in arrays.items() if name.startswith(SENTENCES)}
        return cls(**own) if own else None


@dataclass(frozen=True)
class EncodedTexts:
    """Texts as numbers of the words of their vocabulary, all of one length, as returned by ``tokens.Encoder``.

    train_tokens, test_tokens: (texts, 2, length); [:, 0] are the numbers of the words, [:, 1] is 1 within the second
    text of a pair and 0 elsewhere. train_labels, test_labels: (texts,). words: (V,), the word of each number. classes:
    the name of each label. sentences: our short sentences with a designated word, or None if this data set has none.
    """

    KIND: ClassVar[str] = "texts"

    train_tokens: NDArray[np.int32]
    train_labels: NDArray[np.int64]
    test_tokens: NDArray[np.int32]
    test_labels: NDArray[np.int64]
    words: NDArray[np.str_]
    classes: NDArray[np.str_]
    sentences: EncodedSentences | None = None

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return named arrays for the store."""
        sentences = self.sentences.to_arrays() if self.sentences else {}
        return {"kind": np.array(self.KIND), **{name: getattr(self, name) for name in TEXT_ARRAYS}, **sentences}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Return the texts from the arrays that ``to_arrays`` returns."""
        return cls(**{name: arrays[name] for name in TEXT_ARRAYS}, sentences=EncodedSentences.from_arrays(arrays))

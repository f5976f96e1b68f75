"""Texts with classes, from the door for data (``datasets.load_texts``), as numbered words (Mirror descent 4.1)."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.problems.designated import EncodedSentences, encoded_sentences
from attention_dynamics.problems.problem import Shape
from attention_dynamics.types import Count, DataSource

ARRAYS = ("train_tokens", "train_labels", "test_tokens", "test_labels", "words", "classes")
PADDING, UNKNOWN, START = "[PAD]", "[UNK]", "[CLS]"


@dataclass(frozen=True)
class EncodedPassages:
    """Texts as numbers of the words of their vocabulary, all of one length: [CLS], words, and as often as need be 0.

    train_tokens, test_tokens: (texts, length). train_labels, test_labels: (texts,). words: the vocabulary, by number.
    classes: what labels mean, by number. sentences: short ones of ours, if there are any for these texts.
    """

    train_tokens: NDArray[np.int64]
    train_labels: NDArray[np.int64]
    test_tokens: NDArray[np.int64]
    test_labels: NDArray[np.int64]
    words: NDArray[np.str_]
    classes: NDArray[np.str_]
    sentences: EncodedSentences | None = None

    def to_arrays(self) -> dict[str, NDArray]:
        """Named arrays for the store."""
        short = self.sentences.to_arrays() if self.sentences else {}
        return {name: getattr(self, name) for name in ARRAYS} | short

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray]) -> "EncodedPassages":
        """The inverse of ``to_arrays``."""
        return cls(**{name: arrays[name] for name in ARRAYS}, sentences=EncodedSentences.from_arrays(arrays))


def shape(
    *, dataset: Literal["imdb", "civil_comments"], length: Count, words: Count | None = None,
    train: Count | None = None, test: Count | None = None,
) -> Shape:  # fmt: skip
    """P = 1."""
    return Shape(1, 1, 1, 1, data="passages")


def build(
    source: DataSource = "embedded", mirror: str | None = None, *, dataset: Literal["imdb", "civil_comments"],
    length: Count, words: Count | None = None, train: Count | None = None, test: Count | None = None,
) -> EncodedPassages:  # fmt: skip
    """Lower-case words, the most frequent ones of the texts that are trained on.

    source, mirror: as ``datasets.load_texts`` takes them. length: of a text, [CLS] included; what is longer is cut.
    words: size of the vocabulary, all words by default. train, test: so many of the texts, at even distances, so that
    classes keep their shares; all by default. Raises what ``load_texts`` raises.
    """
    from attention_dynamics.datasets.encoding import encode, evenly_spaced
    from attention_dynamics.datasets.load_texts import load_texts
    from attention_dynamics.datasets.tokens import lower_words
    from attention_dynamics.datasets.vocabulary import most_frequent

    texts = load_texts(dataset, source, mirror=mirror)
    trained, train_labels = evenly_spaced(texts.train_texts, texts.train_labels, train)
    tested, test_labels = evenly_spaced(texts.test_texts, texts.test_labels, test)
    every = chain.from_iterable(map(lower_words, trained))
    vocabulary = most_frequent(every, words, special=(PADDING, UNKNOWN, START), unknown=UNKNOWN)
    train_tokens, test_tokens = (
        encode(part, lower_words, vocabulary, length, padding=PADDING, start=START, separator=None).ids
        for part in (trained, tested)
    )
    sentences = encoded_sentences(
        texts.name, texts.classes, lower_words, vocabulary, length, padding=PADDING, start=START
    )
    return EncodedPassages(
        train_tokens, train_labels, test_tokens, test_labels, np.array(vocabulary.words), np.array(texts.classes),
        sentences,
    )  # fmt: skip

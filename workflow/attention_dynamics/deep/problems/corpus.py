"""A running text to train a language model on, from the door for data (``datasets.load_texts``)."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.problems.problem import Shape
from attention_dynamics.types import Count, DataSource


@dataclass(frozen=True)
class EncodedCorpus:
    """A text as numbers of the words of its vocabulary.

    train_ids, valid_ids: (words,). words: the vocabulary, by number.
    """

    train_ids: NDArray[np.int32]
    valid_ids: NDArray[np.int32]
    words: NDArray[np.str_]

    def to_arrays(self) -> dict[str, NDArray]:
        """Named arrays for the store."""
        return {name: getattr(self, name) for name in ("train_ids", "valid_ids", "words")}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray]) -> "EncodedCorpus":
        """The inverse of ``to_arrays``."""
        return cls(**{name: arrays[name] for name in ("train_ids", "valid_ids", "words")})


def shape(
    *, dataset: Literal["wikitext2", "wikitext103"], part: Literal["train", "test"] = "train",
    valid: Count | None = None, words: Count | None = None,
) -> Shape:  # fmt: skip
    """P = 1."""
    return Shape(1, 1, 1, 1, data="corpus")


def build(
    source: DataSource = "embedded", mirror: str | None = None, *, dataset: Literal["wikitext2", "wikitext103"],
    part: Literal["train", "test"] = "train", valid: Count | None = None, words: Count | None = None,
) -> EncodedCorpus:  # fmt: skip
    """Words as torchtext's ``basic_english`` has them.

    source, mirror: as ``datasets.load_texts`` takes them. part: which part of the corpus is trained on. valid: so many
    words of its validation part, the first ones; all by default. words: size of the vocabulary, the most frequent ones
    in the text that is trained on; all by default. Raises what ``load_texts`` raises.
    """
    from attention_dynamics.datasets.load_texts import load_texts
    from attention_dynamics.datasets.tokens import basic_english
    from attention_dynamics.datasets.vocabulary import most_frequent

    corpus = load_texts(dataset, source, mirror=mirror)

    def said(lines: Iterable[str]) -> Iterator[str]:
        # One by one: WikiText-103 has a hundred million.
        return chain.from_iterable(map(basic_english, lines))

    vocabulary = most_frequent(said(getattr(corpus, part)), words)
    train, test = (vocabulary.encode(said(lines)) for lines in (getattr(corpus, part), corpus.valid))
    return EncodedCorpus(train, test[:valid], np.array(vocabulary.words))

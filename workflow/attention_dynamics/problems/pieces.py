"""Texts, or pairs of texts, with classes, as numbered word pieces for BERT (Fast rates Figs 1 and 4)."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.problems.problem import Shape
from attention_dynamics.types import Count, DataSource

SHORTEST = 5
ARRAYS = ("train_pieces", "train_labels", "test_pieces", "test_labels", "words", "classes")


@dataclass(frozen=True)
class EncodedPieces:
    """Texts as [CLS], pieces, [SEP], of pairs also the pieces of the second and [SEP], and as often as need be [PAD].

    train_pieces, test_pieces: (texts, 2, length), numbers of the pieces, and 1 within the second text of a pair, 0
    elsewhere. train_labels, test_labels: (texts,). words: the pieces by number; 0 is [PAD]. classes: what labels mean,
    by number.
    """

    train_pieces: NDArray[np.int64]
    train_labels: NDArray[np.int64]
    test_pieces: NDArray[np.int64]
    test_labels: NDArray[np.int64]
    words: NDArray[np.str_]
    classes: NDArray[np.str_]

    def to_arrays(self) -> dict[str, NDArray]:
        """Named arrays for the store."""
        return {name: getattr(self, name) for name in ARRAYS}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray]) -> "EncodedPieces":
        """The inverse of ``to_arrays``."""
        return cls(**{name: arrays[name] for name in ARRAYS})


def shape(
    *, dataset: Literal["mnli", "civil_comments"], length: Count,
    vocabulary: Literal["learned", "bert-base-uncased"] = "learned", words: Count | None = None,
    train: Count | None = None, test: Count | None = None,
) -> Shape:  # fmt: skip
    """P = 1. Raises ValueError for the size of a vocabulary that is not learned, and for texts too short for a pair."""
    if length < SHORTEST:
        raise ValueError(f"length: a pair and its special pieces need {SHORTEST} or more, got {length}")
    if vocabulary != "learned" and words is not None:
        raise ValueError(f"words: the vocabulary {vocabulary} has the size that it has")
    return Shape(1, 1, 1, 1, data="pieces")


def build(
    source: DataSource = "embedded", mirror: str | None = None, *, dataset: Literal["mnli", "civil_comments"],
    length: Count, vocabulary: Literal["learned", "bert-base-uncased"] = "learned", words: Count | None = None,
    train: Count | None = None, test: Count | None = None,
) -> EncodedPieces:  # fmt: skip
    """Pieces as BERT's uncased tokenizer makes them (``datasets.wordpiece``).

    source, mirror: as ``datasets.load_texts`` takes them. length: of a text or pair, special pieces included; what is
    longer is cut. vocabulary: learned from the texts that are trained on, or the published one, which the sources
    "official" and "mirror" have. words: size of a learned one; all words by default. train, test: so many of the texts,
    at even distances; all by default. Raises what ``load_texts`` and ``datasets.bert.load_vocabulary`` raise.
    """
    from attention_dynamics.datasets.bert import load_vocabulary
    from attention_dynamics.datasets.encoding import encode, evenly_spaced
    from attention_dynamics.datasets.load_texts import load_texts
    from attention_dynamics.datasets.wordpiece import WordPiece, learned

    texts = load_texts(dataset, source, mirror=mirror)
    trained, train_labels = evenly_spaced(texts.train_texts, texts.train_labels, train)
    tested, test_labels = evenly_spaced(texts.test_texts, texts.test_labels, test)
    if vocabulary == "learned":
        single = chain.from_iterable([text] if isinstance(text, str) else text for text in trained)
        known = learned(single, words or sys.maxsize)
    else:
        known = load_vocabulary(source, mirror)
    encoded = (encode(part, WordPiece(known), known, length) for part in (trained, tested))
    train_pieces, test_pieces = (np.stack([part.ids, part.segments], 1) for part in encoded)
    return EncodedPieces(
        train_pieces, train_labels, test_pieces, test_labels, np.array(known.words), np.array(texts.classes)
    )

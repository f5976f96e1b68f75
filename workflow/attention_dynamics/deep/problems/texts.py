"""Texts, or pairs of texts, with classes, as numbers of words or word pieces (Fast rates Figs 1, 4; Mirror descent 4).

They come through the door for data (``datasets.load_texts``).
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.problems.designated import EncodedSentences, encoded_sentences
from attention_dynamics.problems.problem import Shape
from attention_dynamics.types import Count, DataSource

if TYPE_CHECKING:
    from attention_dynamics.datasets.encoding import Encoder
    from attention_dynamics.datasets.texts import Passage

# A pair has [CLS], two texts of a piece each, and [SEP] after both.
SHORTEST = 5
CLASSES = {"mnli": 3, "civil_comments": 2, "imdb": 2}
ARRAYS = ("train_tokens", "train_labels", "test_tokens", "test_labels", "words", "classes")


@dataclass(frozen=True)
class EncodedTexts:
    """Texts as numbers of the words of their vocabulary, all of one length, as ``datasets.encoding.Encoder`` has them.

    train_tokens, test_tokens: (texts, 2, length), the numbers, and 1 within the second text of a pair, 0 elsewhere.
    train_labels, test_labels: (texts,). words: the vocabulary, by number. classes: what labels mean, by number.
    sentences: short ones of ours, if there are any for these texts.
    """

    train_tokens: NDArray[np.int32]
    train_labels: NDArray[np.int64]
    test_tokens: NDArray[np.int32]
    test_labels: NDArray[np.int64]
    words: NDArray[np.str_]
    classes: NDArray[np.str_]
    sentences: EncodedSentences | None = None

    def to_arrays(self) -> dict[str, NDArray]:
        """Named arrays for the store."""
        short = self.sentences.to_arrays() if self.sentences else {}
        return {name: getattr(self, name) for name in ARRAYS} | short

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray]) -> "EncodedTexts":
        """The inverse of ``to_arrays``."""
        return cls(**{name: arrays[name] for name in ARRAYS}, sentences=EncodedSentences.from_arrays(arrays))


def shape(
    *, dataset: Literal["mnli", "civil_comments", "imdb"], length: Count,
    vocabulary: Literal["words", "pieces", "bert-base-uncased"], words: Count | None = None,
    train: Count | None = None, test: Count | None = None,
) -> Shape:  # fmt: skip
    """P = 1. Raises ValueError for the size of the published vocabulary, and for texts that are too short."""
    if length < SHORTEST:
        raise ValueError(f"length: a text needs {SHORTEST} or more, [CLS] and [SEP] included, got {length}")
    if vocabulary == "bert-base-uncased" and words is not None:
        raise ValueError(f"words: the vocabulary {vocabulary} has the size that it has")
    return Shape(1, 1, 1, 1, data="texts", classes=CLASSES[dataset])


def build(
    source: DataSource = "embedded", mirror: str | None = None, *, dataset: Literal["mnli", "civil_comments", "imdb"],
    length: Count, vocabulary: Literal["words", "pieces", "bert-base-uncased"], words: Count | None = None,
    train: Count | None = None, test: Count | None = None,
) -> EncodedTexts:  # fmt: skip
    """Encode training and test texts alike.

    source, mirror: as ``datasets.load_texts`` takes them. length: of a text or pair, special words included; what is
    longer is cut. vocabulary: of the texts that are trained on the most frequent "words", in lower case, then without
    [SEP]; or "pieces" of words as BERT's uncased tokenizer makes them (``datasets.wordpiece``), learned from these
    texts; or the published ones of BERT, which the sources "official" and "mirror" have. words: size of a vocabulary
    that is ours; all words by default. train, test: so many of the texts, at even distances, so that classes keep their
    shares; all by default. Raises what ``load_texts`` and ``datasets.bert.load_vocabulary`` raise.
    """
    from attention_dynamics.datasets.encoding import evenly_spaced
    from attention_dynamics.datasets.load_texts import load_texts

    texts = load_texts(dataset, source, mirror=mirror)
    trained, train_labels = evenly_spaced(texts.train_texts, texts.train_labels, train)
    tested, test_labels = evenly_spaced(texts.test_texts, texts.test_labels, test)
    encoder = _encoder(vocabulary, trained, words, source, mirror)
    return EncodedTexts(
        encoder.encode(trained, length), train_labels, encoder.encode(tested, length), test_labels,
        np.array(encoder.vocabulary.words), np.array(texts.classes),
        encoded_sentences(texts.name, texts.classes, encoder, length),
    )  # fmt: skip


def _encoder(
    vocabulary: str, texts: Sequence["Passage"], words: int | None, source: DataSource, mirror: str | None
) -> "Encoder":
    from attention_dynamics.datasets.bert import load_vocabulary
    from attention_dynamics.datasets.encoding import Encoder
    from attention_dynamics.datasets.tokens import lower_words
    from attention_dynamics.datasets.vocabulary import most_frequent
    from attention_dynamics.datasets.wordpiece import PADDING, START, UNKNOWN, WordPiece, learned

    single = chain.from_iterable([text] if isinstance(text, str) else text for text in texts)
    if vocabulary == "words":
        every = chain.from_iterable(map(lower_words, single))
        known = most_frequent(every, words, special=(PADDING, UNKNOWN, START), unknown=UNKNOWN)
        return Encoder(lower_words, known, separator=False)
    known = learned(single, words or sys.maxsize) if vocabulary == "pieces" else load_vocabulary(source, mirror)
    return Encoder(WordPiece(known), known)

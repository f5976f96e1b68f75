"""Texts, or pairs of texts, with classes, from a data set (Fast rates Figs 1, 4; Mirror descent, IMDb)."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, ClassVar, Literal, Self

from pydantic import model_validator

from attention_dynamics.problems.shape import Shape
from attention_dynamics.problems.source import ProblemSource
from attention_dynamics.types import Count, DataSource

if TYPE_CHECKING:
    from attention_dynamics.deep.datasets.encoding import Encoder
    from attention_dynamics.deep.datasets.labelled_texts import Passage
    from attention_dynamics.deep.problems.encoded_texts import EncodedTexts

# The shortest pair has [CLS], two texts of one piece each, and [SEP] after both.
MIN_LENGTH = 5
CLASSES = {"mnli": 3, "civil_comments": 2, "imdb": 2}


@dataclass(frozen=True, kw_only=True)
class TextShape(Shape):
    """Shape of texts, known before they are loaded.

    classes: how many there are. vocabulary: the setting of ``TextSource``, None where the source has none.
    """

    data: ClassVar[str] = "texts"

    classes: int
    vocabulary: str | None = None


class TextSource(ProblemSource, kind="texts"):
    """Texts of a data set as numbers of words or of pieces of words.

    length: of a text or pair, special words included; longer ones are cut. vocabulary: the most frequent "words", in
    lower case, of the texts that are trained on, without [SEP]; or "pieces" of words as BERT's uncased tokenizer makes
    them (``datasets.wordpiece``), learned from these texts; or the published ones of BERT, which only the sources
    "official" and "mirror" have. words: size of a vocabulary of our own; all words by default. train, test: number of
    texts, at even distances, so that classes keep their shares; all by default.
    """

    reads_dataset = True

    dataset: Literal["mnli", "civil_comments", "imdb"]
    length: Count
    vocabulary: Literal["words", "pieces", "bert-base-uncased"]
    words: Count | None = None
    train: Count | None = None
    test: Count | None = None

    @model_validator(mode="after")
    def _check_sizes(self) -> Self:
        if self.length < MIN_LENGTH:
            message = f"length: must be at least {MIN_LENGTH}, [CLS] and [SEP] included, got {self.length}"
            raise ValueError(message)
        if self.vocabulary == "bert-base-uncased" and self.words is not None:
            raise ValueError(f"words: cannot be set with the vocabulary {self.vocabulary}, whose size is fixed")
        return self

    @property
    def shape(self) -> TextShape:
        """See ``ProblemSource.shape``."""
        return TextShape(classes=CLASSES[self.dataset], vocabulary=self.vocabulary)

    def build(self, source: DataSource = "embedded", mirror: str | None = None) -> "EncodedTexts":
        """Return the texts; training and test texts are encoded alike.

        source, mirror and errors: see ``load_texts`` and ``published_bert.load_vocabulary``.
        """
        import numpy as np

        from attention_dynamics.deep.datasets.encoding import select_evenly
        from attention_dynamics.deep.datasets.labelled_texts import LabelledTexts
        from attention_dynamics.deep.datasets.load_texts import load_texts
        from attention_dynamics.deep.problems.annotated_sentences import encode_sentences
        from attention_dynamics.deep.problems.encoded_texts import EncodedTexts

        texts = load_texts(self.dataset, source, mirror=mirror)
        assert isinstance(texts, LabelledTexts)
        train, train_labels = select_evenly(texts.train_texts, texts.train_labels, self.train)
        test, test_labels = select_evenly(texts.test_texts, texts.test_labels, self.test)
        encoder = self._encoder(train, source, mirror)
        return EncodedTexts(
            encoder.encode(train, self.length),
            train_labels,
            encoder.encode(test, self.length),
            test_labels,
            np.array(encoder.vocabulary.words),
            np.array(texts.classes),
            encode_sentences(texts.name, texts.classes, encoder, self.length),
        )

    def _encoder(self, texts: Sequence["Passage"], source: DataSource, mirror: str | None) -> "Encoder":
        """Return the encoder of texts with a vocabulary from those that are trained on."""
        from attention_dynamics.deep.datasets.encoding import Encoder
        from attention_dynamics.deep.datasets.published_bert import load_vocabulary
        from attention_dynamics.deep.datasets.tokens import lower_words
        from attention_dynamics.deep.datasets.vocabulary import most_frequent
        from attention_dynamics.deep.datasets.wordpiece import PADDING, START, UNKNOWN, WordPiece, learn_vocabulary

        singles = chain.from_iterable([text] if isinstance(text, str) else text for text in texts)
        if self.vocabulary == "words":
            words = chain.from_iterable(map(lower_words, singles))
            known = most_frequent(words, self.words, special=(PADDING, UNKNOWN, START), unknown=UNKNOWN)
            return Encoder(lower_words, known, separator=False)
        if self.vocabulary == "pieces":
            known = learn_vocabulary(singles, self.words or sys.maxsize)
        else:
            known = load_vocabulary(source, mirror)
        return Encoder(WordPiece(known), known)

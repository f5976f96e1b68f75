"""Problems for networks: images, running text and texts with classes, from data sets.

Only ``build`` imports the modules that load data, because Snakemake imports this module at every start.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, ClassVar, Literal, Self

import numpy as np
from pydantic import model_validator

from attention_dynamics.problems.shape import Shape
from attention_dynamics.problems.source import ProblemSource
from attention_dynamics.types import Count, DataSource

if TYPE_CHECKING:
    from attention_dynamics.deep.datasets.labelled import EncodedCorpus, EncodedTexts, Images, Passage
    from attention_dynamics.deep.datasets.tokens import Encoder

# Makes this module importable as a package, so that plug-ins can be its submodules.
__path__: list[str] = []
# The shortest pair has [CLS], two texts of one piece each, and [SEP] after both.
MIN_LENGTH = 5
TEXT_CLASSES = {"mnli": 3, "civil_comments": 2, "imdb": 2}


@dataclass(frozen=True, kw_only=True)
class ImageShape(Shape):
    """Shape of images, known before they are loaded."""

    data: ClassVar[str] = "images"


class ImageSource(ProblemSource, kind="images"):
    """Images of a data set.

    upscaled: enlarge the embedded stand-in to the size of the images that it replaces. train, test: number of images to
    use, the first ones of the set; all by default.
    """

    reads_dataset = True

    dataset: Literal["mnist", "cifar10", "cifar100", "digits"]
    upscaled: bool = False
    train: Count | None = None
    test: Count | None = None

    @property
    def shape(self) -> ImageShape:
        """See ``ProblemSource.shape``."""
        return ImageShape()

    def build(self, source: DataSource = "embedded", mirror: str | None = None) -> "Images":
        """Return the images. source, mirror and errors: see ``load_images``."""
        from attention_dynamics.deep.datasets.images import load_images

        upscaled = self.upscaled and source == "embedded"
        if self.dataset == "digits":
            source = "embedded"
        images = load_images(self.dataset, source, mirror=mirror, upscaled=upscaled)
        return replace(
            images,
            train_images=images.train_images[: self.train],
            train_labels=images.train_labels[: self.train],
            test_images=images.test_images[: self.test],
            test_labels=images.test_labels[: self.test],
        )


@dataclass(frozen=True, kw_only=True)
class CorpusShape(Shape):
    """Shape of a running text, known before it is loaded."""

    data: ClassVar[str] = "corpus"


class CorpusSource(ProblemSource, kind="corpus"):
    """A running text, in words as torchtext's ``basic_english`` splits it.

    valid: number of words to use from the beginning of the validation text; all by default. words: largest size
    of the vocabulary, which has <unk> and the most frequent words of the training text; all words by default.
    """

    reads_dataset = True

    dataset: Literal["wikitext2", "wikitext103"]
    valid: Count | None = None
    words: Count | None = None

    @property
    def shape(self) -> CorpusShape:
        """See ``ProblemSource.shape``."""
        return CorpusShape()

    def build(self, source: DataSource = "embedded", mirror: str | None = None) -> "EncodedCorpus":
        """Return the text. source, mirror and errors: see ``load_texts``."""
        from attention_dynamics.deep.datasets.labelled import Corpus, EncodedCorpus
        from attention_dynamics.deep.datasets.texts import load_texts
        from attention_dynamics.deep.datasets.tokens import basic_english, most_frequent

        corpus = load_texts(self.dataset, source, mirror=mirror)
        assert isinstance(corpus, Corpus)

        def split(lines: Iterable[str]) -> Iterator[str]:
            # One line at a time, because WikiText-103 has a hundred million words.
            return chain.from_iterable(map(basic_english, lines))

        vocabulary = most_frequent(Counter(split(corpus.train)), self.words)
        train_ids, valid_ids = vocabulary.encode(split(corpus.train)), vocabulary.encode(split(corpus.valid))
        return EncodedCorpus(train_ids, valid_ids[: self.valid], np.array(vocabulary.words))


@dataclass(frozen=True, kw_only=True)
class TextShape(Shape):
    """Shape of texts, known before they are loaded.

    classes: number of classes. vocabulary: the setting of ``TextSource``; None for a source without this setting.
    """

    data: ClassVar[str] = "texts"

    classes: int
    vocabulary: str | None = None


class TextSource(ProblemSource, kind="texts"):
    """Texts of a data set as numbers of words or of pieces of words.

    length: number of words, or pieces of words, to which a text or pair is cut or padded, special ones included.
    vocabulary: "words", the most frequent lower-case words of the training texts, without [SEP]; "pieces", the most
    frequent words and all characters of the training texts (``learn_vocabulary``), into which words are cut as by
    BERT's uncased tokenizer; or "bert-base-uncased", BERT's published pieces, which only the sources "official" and
    "mirror" have. words: largest size of a vocabulary that is made from the training texts; by default it has all
    words. train, test: number of texts to use, evenly spaced, so that classes about keep their shares; all by default.
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
        return TextShape(classes=TEXT_CLASSES[self.dataset], vocabulary=self.vocabulary)

    def build(self, source: DataSource = "embedded", mirror: str | None = None) -> "EncodedTexts":
        """Return the texts; training and test texts are encoded alike.

        source, mirror and errors: see ``load_texts`` and ``published_bert.load_vocabulary``.
        """
        from attention_dynamics.deep.datasets.labelled import EncodedTexts, LabelledTexts
        from attention_dynamics.deep.datasets.sentences import encode_sentences
        from attention_dynamics.deep.datasets.texts import load_texts
        from attention_dynamics.deep.datasets.tokens import select_evenly

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
        """Return the encoder of texts. texts: the training texts, from which the vocabulary may be made."""
        from attention_dynamics.deep.datasets import tokens
        from attention_dynamics.deep.datasets.published_bert import load_vocabulary

        singles = chain.from_iterable([text] if isinstance(text, str) else text for text in texts)
        if self.vocabulary == "words":
            counts = Counter(chain.from_iterable(map(tokens.lower_words, singles)))
            known = tokens.most_frequent(
                counts, self.words, special=(tokens.PADDING, tokens.UNKNOWN, tokens.START), unknown=tokens.UNKNOWN
            )
            return tokens.Encoder(tokens.lower_words, known, separator=False)
        if self.vocabulary == "pieces":
            known = tokens.learn_vocabulary(singles, self.words)
        else:
            known = load_vocabulary(source, mirror)
        return tokens.Encoder(tokens.WordPiece(known), known)

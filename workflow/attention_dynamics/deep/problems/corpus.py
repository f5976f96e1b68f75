"""A running text to train a language model on, from a data set."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, ClassVar, Literal

from attention_dynamics.problems.shape import Shape
from attention_dynamics.problems.source import ProblemSource
from attention_dynamics.types import Count, DataSource

if TYPE_CHECKING:
    from attention_dynamics.deep.problems.encoded_corpus import EncodedCorpus


@dataclass(frozen=True, kw_only=True)
class CorpusShape(Shape):
    """Shape of a running text, known before it is loaded."""

    data: ClassVar[str] = "corpus"


class CorpusSource(ProblemSource, kind="corpus"):
    """A running text, in words as torchtext's ``basic_english`` splits it.

    part: the part of the corpus that is trained on. valid: number of words of its validation part, the first ones; all
    by default. words: size of the vocabulary, the most frequent ones in the text that is trained on; all by default.
    """

    reads_dataset = True

    dataset: Literal["wikitext2", "wikitext103"]
    part: Literal["train", "test"] = "train"
    valid: Count | None = None
    words: Count | None = None

    @property
    def shape(self) -> CorpusShape:
        """See ``ProblemSource.shape``."""
        return CorpusShape()

    def build(self, source: DataSource = "embedded", mirror: str | None = None) -> "EncodedCorpus":
        """Return the text. source, mirror and errors: see ``load_texts``."""
        import numpy as np

        from attention_dynamics.deep.datasets.labelled_texts import Corpus
        from attention_dynamics.deep.datasets.load_texts import load_texts
        from attention_dynamics.deep.datasets.tokens import basic_english
        from attention_dynamics.deep.datasets.vocabulary import most_frequent
        from attention_dynamics.deep.problems.encoded_corpus import EncodedCorpus

        corpus = load_texts(self.dataset, source, mirror=mirror)
        assert isinstance(corpus, Corpus)
        trained = corpus.train if self.part == "train" else corpus.test

        def split(lines: Iterable[str]) -> Iterator[str]:
            # One line at a time, because WikiText-103 has a hundred million words.
            return chain.from_iterable(map(basic_english, lines))

        vocabulary = most_frequent(split(trained), self.words)
        train_ids, valid_ids = vocabulary.encode(split(trained)), vocabulary.encode(split(corpus.valid))
        return EncodedCorpus(train_ids, valid_ids[: self.valid], np.array(vocabulary.words))

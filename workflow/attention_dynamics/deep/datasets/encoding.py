"""Texts as arrays of numbers, all of one length."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from attention_dynamics.deep.datasets.labelled_images import Classes
from attention_dynamics.deep.datasets.labelled_texts import Passage
from attention_dynamics.deep.datasets.vocabulary import Ids, Vocabulary
from attention_dynamics.deep.datasets.wordpiece import PADDING, SEPARATOR, START

# The number of [PAD], which networks ignore, in all vocabularies that texts are encoded with.
PAD_ID = 0


@dataclass(frozen=True)
class Encoder:
    """Encoder of texts as numbers.

    tokenize: a text -> its words, or pieces of words. vocabulary: of these. separator: whether [SEP] ends a text, and
    both texts of a pair. Raises ValueError where a special word is not in the vocabulary, or [PAD] is not its first.
    """

    tokenize: Callable[[str], list[str]]
    vocabulary: Vocabulary
    separator: bool = True

    def __post_init__(self) -> None:
        special = [PADDING, START] + [SEPARATOR] * self.separator
        if missing := [word for word in special if word not in self.vocabulary.number]:
            raise ValueError(f"vocabulary: {missing[0]!r} is missing")
        if self.vocabulary.number[PADDING] != PAD_ID:
            raise ValueError(f"vocabulary: its first word must be {PADDING!r}")

    def encode(self, texts: Sequence[Passage], length: int) -> Ids:
        """Encode N texts, or pairs of texts, cut or padded to ``length`` words T, the special ones included.

        Returns (N, 2, T): the numbers of the words, and 1 within the second text of a pair, else 0.

        A text is [CLS], words, [SEP]; a pair is [CLS], words, [SEP], words, [SEP]. A text that is too long
        loses words at its end; in a pair, the longer text loses them one by one, or the second of two equally long
        ones. Raises ValueError where T has no room for the special words and one word of each text.
        """
        encoded = np.full((len(texts), 2, length), PAD_ID, dtype=np.int32)
        for row, text in zip(encoded, texts, strict=True):
            parts = [self.tokenize(part) for part in ([text] if isinstance(text, str) else text)]
            room = length - 1 - self.separator * len(parts)
            if room < len(parts):
                raise ValueError(f"length: {length} leaves no room for the special tokens and one word of each text")
            words = [START]
            for segment, part in enumerate(truncate(parts, room)):
                begin = len(words)
                words += part + [SEPARATOR] * self.separator
                row[1, begin : len(words)] = segment
            row[0, : len(words)] = self.vocabulary.encode(words)
        return encoded


def truncate(parts: Sequence[list[str]], room: int) -> list[list[str]]:
    """Return one or two lists of words, without the last words of the longer one so that they fit together."""
    sizes = [len(part) for part in parts]
    while sum(sizes) > room:
        # Of equally long texts the second is cut.
        longest = max(range(len(sizes)), key=lambda k: (sizes[k], k))
        sizes[longest] -= sum(sizes) - room if len(sizes) == 1 else 1
    return [part[:size] for part, size in zip(parts, sizes, strict=True)]


def select_evenly(texts: Sequence[Passage], labels: Classes, count: int | None) -> tuple[list[Passage], Classes]:
    """Return ``count`` texts and their labels, evenly spaced; all texts if ``count`` is None or larger."""
    chosen = np.linspace(0, len(texts) - 1, min(count or len(texts), len(texts))).astype(int)
    return [texts[k] for k in chosen], labels[chosen]

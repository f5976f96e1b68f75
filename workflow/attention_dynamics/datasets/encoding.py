"""Texts as arrays of numbers, all of one length."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.datasets.images import Classes
from attention_dynamics.datasets.texts import Passage
from attention_dynamics.datasets.vocabulary import Ids, Vocabulary


@dataclass(frozen=True)
class Encoded:
    """N texts of up to T words.

    ids: (N, T), numbers of words, after the text those of the padding. mask: (N, T), True within the text. segments:
    (N, T), 1 within the second text of a pair and its separator, else 0.
    """

    ids: Ids
    mask: NDArray[np.bool_]
    segments: Ids


def encode(
    texts: Sequence[Passage],
    tokenize: Callable[[str], list[str]],
    vocabulary: Vocabulary,
    length: int,
    *,
    padding: str = "[PAD]",
    start: str | None = "[CLS]",
    separator: str | None = "[SEP]",
) -> Encoded:
    """Texts, or pairs of texts, cut or padded to ``length`` words T, the special ones included.

    A text is start, words, separator; a pair is start, words, separator, words, separator. start, separator: None
    leaves them out. What is too long loses words at its end, one by one from the longer text of a pair, or the second
    of two equally long. Raises ValueError where a special word is not in the vocabulary, or T has no room for these
    and a word of each text.
    """
    special = [word for word in (padding, start, separator) if word is not None]
    if missing := [word for word in special if word not in vocabulary.number]:
        raise ValueError(f"vocabulary: {missing[0]!r} is missing")
    ids = np.full((len(texts), length), vocabulary.number[padding], dtype=np.int64)
    mask = np.zeros(ids.shape, dtype=bool)
    segments = np.zeros_like(ids)
    for row, text in enumerate(texts):
        parts = [tokenize(part) for part in ([text] if isinstance(text, str) else text)]
        room = length - (start is not None) - (separator is not None) * len(parts)
        if room < len(parts):
            raise ValueError(f"length: {length} words have no room for the special ones and a word of each text")
        words = [start] if start is not None else []
        for segment, kept in enumerate(shortened(parts, room)):
            begin = len(words)
            words += kept + ([separator] if separator is not None else [])
            segments[row, begin : len(words)] = segment
        ids[row, : len(words)] = vocabulary.encode(words)
        mask[row, : len(words)] = True
    return Encoded(ids, mask, segments)


def shortened(parts: Sequence[list[str]], room: int) -> list[list[str]]:
    """One or two lists of words, without the last words of the longer one so that they have room together."""
    sizes = [len(part) for part in parts]
    while sum(sizes) > room:
        # Of equally long ones the last.
        longest = max(range(len(sizes)), key=lambda k: (sizes[k], k))
        sizes[longest] -= sum(sizes) - room if len(sizes) == 1 else 1
    return [part[:size] for part, size in zip(parts, sizes, strict=True)]


def evenly_spaced(texts: Sequence[Passage], labels: Classes, count: int | None) -> tuple[list[Passage], Classes]:
    """So many of the texts and their labels, at even distances; all without a count, or where there are not more."""
    chosen = np.linspace(0, len(texts) - 1, min(count or len(texts), len(texts))).astype(int)
    return [texts[k] for k in chosen], labels[chosen]

"""Vocabularies: words to numbers and back."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int32]


@dataclass(frozen=True)
class Vocabulary:
    """Words with numbers.

    words: the word of each number, 0 first. unknown: the word that stands for all others. Raises ValueError where a
    word is there twice, or the unknown one is missing.
    """

    words: tuple[str, ...]
    unknown: str = "<unk>"

    def __post_init__(self) -> None:
        if len(self.number) != len(self.words):
            raise ValueError(f"words: {Counter(self.words).most_common(1)[0][0]!r} occurs more than once")
        if self.unknown not in self.number:
            raise ValueError(f"words: {self.unknown!r}, the unknown word, is missing")

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def number(self) -> dict[str, int]:
        """Mapping from words to numbers."""
        return {word: number for number, word in enumerate(self.words)}

    def encode(self, words: Iterable[str]) -> Ids:
        """Return the numbers (T,) of T words."""
        unknown = self.number[self.unknown]
        return np.fromiter((self.number.get(word, unknown) for word in words), np.int32)

    def decode(self, ids: Ids) -> list[str]:
        """Return the words of numbers (T,). Raises IndexError for a number too large."""
        return [self.words[number] for number in ids.tolist()]


def most_frequent(
    words: Iterable[str], size: int | None = None, *, special: Sequence[str] = ("<unk>",), unknown: str = "<unk>"
) -> Vocabulary:
    """Return the special words, in their order, and the most frequent others; of equally frequent ones the first by
    alphabet.

    size: of the whole vocabulary; all words by default. Raises ValueError where there is no room for the special words.
    """
    if size is not None and size < len(special):
        raise ValueError(f"size: {size} is less than the number of special words, {len(special)}")
    counts = Counter(words)
    others = sorted(counts.keys() - set(special), key=lambda word: (-counts[word], word))
    return Vocabulary((*special, *others)[:size], unknown)

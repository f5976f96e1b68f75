"""WordPiece as in BERT, uncased (Devlin et al. 2019): words cut, from the left, into the longest known pieces."""

import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from attention_dynamics.deep.datasets.vocabulary import Vocabulary

PADDING, UNKNOWN, START, SEPARATOR, MASK = SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
CONTINUATION_PREFIX = "##"
MAX_WORD_LENGTH = 100
# Chinese characters are words of their own.
IDEOGRAPHS = (
    (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF), (0x2F800, 0x2FA1F),
)  # fmt: skip


class _Characters(dict[int, str]):
    """Replacements of characters by their numbers: nothing, a blank, itself, or itself between blanks."""

    def __missing__(self, number: int) -> str:
        character, category = chr(number), unicodedata.category(chr(number))
        symbol = number < 128 and not character.isalnum() and character.isprintable() and character != " "
        if character in "\t\n\r" or category == "Zs":
            result = " "
        elif number in (0, 0xFFFD) or category[0] == "C" or category == "Mn":
            result = ""
        elif symbol or category[0] == "P" or any(first <= number <= last for first, last in IDEOGRAPHS):
            result = f" {character} "
        else:
            result = character
        self[number] = result
        return result


CHARACTERS = _Characters()


def basic_words(text: str) -> list[str]:
    """Return words in lower case and without accents.

    Every punctuation mark, ASCII symbol and ideograph is a word by itself.
    """
    return unicodedata.normalize("NFD", text.lower()).translate(CHARACTERS).split()


@dataclass(frozen=True)
class WordPiece:
    """A tokenizer. vocabulary: of pieces, those inside of a word beginning with ``##``.

    It is faster than the package ``tokenizers`` with equal pieces (benchmarks/real_data.md).
    """

    vocabulary: Vocabulary

    def __call__(self, text: str) -> list[str]:
        """Return the pieces of a text."""
        return [piece for word in basic_words(text) for piece in self.pieces(word)]

    def pieces(self, word: str) -> tuple[str, ...]:
        """Return the pieces of a word of ``basic_words``; the unknown word where it cannot be cut to its end."""
        if word not in self._known:
            self._known[word] = self._cut(word)
        return self._known[word]

    @cached_property
    def _known(self) -> dict[str, tuple[str, ...]]:
        return {}

    def _cut(self, word: str) -> tuple[str, ...]:
        if len(word) > MAX_WORD_LENGTH:
            return (self.vocabulary.unknown,)
        found: list[str] = []
        start = 0
        while start < len(word):
            candidates = (
                (CONTINUATION_PREFIX if start else "") + word[start:end] for end in range(len(word), start, -1)
            )
            piece = next((c for c in candidates if c in self.vocabulary.number), None)
            if piece is None:
                return (self.vocabulary.unknown,)
            found.append(piece)
            start += len(piece) - (len(CONTINUATION_PREFIX) if start else 0)
        return tuple(found)


def learn_vocabulary(texts: Iterable[str], size: int) -> Vocabulary:
    """Return a vocabulary for ``WordPiece`` from texts.

    It has BERT's special pieces, every character, and the most frequent words. This is simpler than BERT's vocabulary,
    which also has frequent parts of words: here a word is whole or cut into its characters, and no character of the
    texts is unknown. size: of the vocabulary; smaller where there are not so many words. Raises ValueError where there
    is no room for the characters.
    """
    counts = Counter(word for text in texts for word in basic_words(text))
    characters = sorted({character for word in counts for character in word})
    fixed = [*SPECIAL, *characters, *(CONTINUATION_PREFIX + character for character in characters)]
    if size < len(fixed):
        raise ValueError(f"size: {size} is less than the number of special pieces and characters, {len(fixed)}")
    words = sorted((word for word in counts if len(word) > 1), key=lambda word: (-counts[word], word))
    known = set(fixed)
    return Vocabulary((*fixed, *(word for word in words if word not in known))[:size], UNKNOWN)

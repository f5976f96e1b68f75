"""Splitting of texts into words or pieces of words, and encoding of these as numbers."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.deep.datasets.labelled import Classes, Passage

Ids = NDArray[np.int32]
PADDING, UNKNOWN, START, SEPARATOR, MASK = SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
# The number of [PAD], which networks ignore, in all vocabularies that texts are encoded with.
PAD_ID = 0
# (pattern, replacement) pairs, applied in this order.
BASIC_ENGLISH = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"'", " ' "),
        (r'"', ""),
        (r"<br />", " "),
        (r"([.,()!?])", r" \1 "),
        (r"[;:]", " "),
    )
)
MARKUP = re.compile(r"<br\s*/?>")
WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
CONTINUATION_PREFIX = "##"
MAX_WORD_LENGTH = 100
# Ranges of code points of Chinese characters, each of which is a word by itself.
IDEOGRAPHS = (
    (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF), (0x2F800, 0x2FA1F),
)  # fmt: skip


def basic_english(text: str) -> list[str]:
    """Return words as torchtext's tokenizer ``basic_english`` makes them, which the authors of Scan and snap use.

    Words are in lower case. Double quotation marks are dropped. Colons, semicolons and ``<br />`` only separate
    words. Other common punctuation marks are words.
    """
    text = text.lower()
    for pattern, replacement in BASIC_ENGLISH:
        text = pattern.sub(replacement, text)
    return text.split()


def lower_words(text: str) -> list[str]:
    """Return lower-case words of letters and digits, with apostrophes inside; no punctuation, no ``<br />``.

    For Mirror descent's experiments on IMDb at a smaller scale, of which the paper says only "regex tokens". At full
    scale, the paper uses ``WordPiece``.
    """
    return WORD.findall(MARKUP.sub(" ", text.lower()))


@dataclass(frozen=True)
class Vocabulary:
    """Words, numbered from 0.

    words: in the order of their numbers. unknown: the word in ``words`` that stands for all words not in ``words``.
    Raises ValueError if a word occurs twice, or if ``unknown`` is not in ``words``.
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


def most_frequent(
    counts: Mapping[str, int], size: int | None = None, *, special: Sequence[str] = ("<unk>",), unknown: str = "<unk>"
) -> Vocabulary:
    """Return a vocabulary of the special words, in their order, then the most frequent others.

    counts: word -> number of its occurrences. Equally frequent words are in alphabetical order. size: largest size of
    the whole vocabulary; None for all words. Raises ValueError if the special words alone are more than ``size``.
    """
    if size is not None and size < len(special):
        raise ValueError(
            f"size: {size} is less than the number of special words, pieces and characters, {len(special)}"
        )
    others = sorted(counts.keys() - set(special), key=lambda word: (-counts[word], word))
    return Vocabulary((*special, *others)[:size], unknown)


class _Characters(dict[int, str]):
    """Table for ``str.translate``, filled on demand.

    It removes control characters and accents, turns whitespace into a blank, puts punctuation marks, ASCII symbols and
    ideographs between blanks, and keeps other characters.
    """

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
    """WordPiece as in BERT, uncased (Devlin et al. 2019): words cut, from the left, into the longest known pieces.

    vocabulary: the known pieces; pieces that do not begin a word have the prefix ``##``.

    The pieces are the same as those of the package ``tokenizers``, but are found faster (benchmarks/real_data.md).
    """

    vocabulary: Vocabulary

    def __call__(self, text: str) -> list[str]:
        """Return the pieces of a text."""
        return [piece for word in basic_words(text) for piece in self.pieces(word)]

    def pieces(self, word: str) -> tuple[str, ...]:
        """Return the pieces of a word of ``basic_words``.

        For a word that has an unknown part or more than MAX_WORD_LENGTH characters, return only the unknown piece.
        """
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


def learn_vocabulary(texts: Iterable[str], size: int | None) -> Vocabulary:
    """Return a vocabulary for ``WordPiece`` from texts.

    It has BERT's special pieces, every character, and the most frequent words. This is simpler than BERT's vocabulary,
    which also has frequent parts of words: here the first piece of a word is a word or a character, and all further
    pieces are characters. No character of the texts is unknown, except in words longer than MAX_WORD_LENGTH. size: see
    ``most_frequent``. Raises ValueError if the special pieces, which include all characters, are more than ``size``.
    """
    counts = Counter(word for text in texts for word in basic_words(text))
    characters = sorted({character for word in counts for character in word})
    special = [*SPECIAL, *characters, *(CONTINUATION_PREFIX + character for character in characters)]
    return most_frequent(counts, size, special=special, unknown=UNKNOWN)


@dataclass(frozen=True)
class Encoder:
    """Encoder of texts as numbers.

    tokenize: returns the words of a text, or pieces of words. vocabulary: has these words or pieces. separator: whether
    [SEP] ends a text, and both texts of a pair. Raises ValueError if [PAD], [CLS] or, with a separator, [SEP] is not in
    the vocabulary, or [PAD] is not its first word.
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

        Returns (N, 2, T): [:, 0] are the numbers of the words, [:, 1] is 1 within the second text of a pair, else 0.

        A text is [CLS], words, [SEP]; a pair is [CLS], words, [SEP], words, [SEP] (no [SEP] without ``separator``). A
        text that is too long loses words at its end; in a pair, the longer text loses them one by one, or the second of
        two equally long ones. Raises ValueError if T has no room for the special words and one word of each text.
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
    """Return one or two lists of words, cut to ``room`` words in all. The longer list loses words at its end."""
    sizes = [len(part) for part in parts]
    while sum(sizes) > room:
        # If both texts are equally long, the second is cut.
        longest = max(range(len(sizes)), key=lambda k: (sizes[k], k))
        sizes[longest] -= sum(sizes) - room if len(sizes) == 1 else 1
    return [part[:size] for part, size in zip(parts, sizes, strict=True)]


def select_evenly(texts: Sequence[Passage], labels: Classes, count: int | None) -> tuple[list[Passage], Classes]:
    """Return ``count`` texts and their labels, evenly spaced; all texts if ``count`` is None or larger."""
    chosen = np.linspace(0, len(texts) - 1, min(count or len(texts), len(texts))).astype(int)
    return [texts[k] for k in chosen], labels[chosen]

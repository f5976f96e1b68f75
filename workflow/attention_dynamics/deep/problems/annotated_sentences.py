"""Short sentences with a designated word each, as a classifier of texts reads them (Mirror descent 4.2)."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.datasets.sentences import SENTENCES, Sentence, read

if TYPE_CHECKING:
    from attention_dynamics.datasets.encoding import Encoder

PREFIX = "sentences/"


@dataclass(frozen=True)
class EncodedSentences:
    """S sentences as numbers of words: [CLS], words, where texts have it [SEP], and as often as need be 0.

    texts: (S,), as people read them. tokens: (S, T), with T the tokens of the longest. designated: (S,), the position
    of the word in question. labels: (S,). listed: (), how many there are with those whose word is not known.
    """

    texts: NDArray[np.str_]
    tokens: NDArray[np.int32]
    designated: NDArray[np.int64]
    labels: NDArray[np.int64]
    listed: NDArray[np.int64]

    def to_arrays(self) -> dict[str, NDArray]:
        """Named arrays for the store."""
        return {PREFIX + field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray]) -> "EncodedSentences | None":
        """The inverse of ``to_arrays``; None where there are none. Other arrays are passed over."""
        own = {name.removeprefix(PREFIX): array for name, array in arrays.items() if name.startswith(PREFIX)}
        return cls(**own) if own else None


def encoded_sentences(name: str, classes: tuple[str, ...], encoder: "Encoder", length: int) -> EncodedSentences | None:
    """The sentences listed for texts of this name whose designated word is a word of the vocabulary.

    name, classes: of the texts that are trained on. length: the most tokens of a sentence, which is cut there. None
    where no sentences are listed, or none is left.
    """
    listed = [(read(text), classes.index(label)) for label, texts in SENTENCES.get(name, {}).items() for text in texts]
    kept = [(sentence, label) for sentence, label in listed if _known(sentence, encoder, length)]
    if not kept:
        return None
    longest = 1 + encoder.separator + max(len(encoder.tokenize(sentence.text)) for sentence, _ in kept)
    return EncodedSentences(
        texts=np.array([sentence.text for sentence, _ in kept]),
        tokens=encoder.encode([sentence.text for sentence, _ in kept], min(length, longest))[:, 0],
        designated=np.array([_position(sentence, encoder) for sentence, _ in kept]),
        labels=np.array([label for _, label in kept]),
        listed=np.array(len(listed)),
    )


def _known(sentence: Sentence, encoder: "Encoder", length: int) -> bool:
    """Whether the designated word is one token, in the vocabulary, and not cut off."""
    words, vocabulary = encoder.tokenize(sentence.designated), encoder.vocabulary
    known = len(words) == 1 and words[0] in vocabulary.number and words[0] != vocabulary.unknown
    return known and _position(sentence, encoder) < length - encoder.separator


def _position(sentence: Sentence, encoder: "Encoder") -> int:
    """Where the designated word is, after the token at the start."""
    return 1 + len(encoder.tokenize(sentence.before))

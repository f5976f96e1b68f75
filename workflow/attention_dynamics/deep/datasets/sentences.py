"""Short sentences, each with a designated word that determines its class.

The attention of text classifiers is measured on them (Mirror descent, IMDb).
"""

import re
import tomllib
from pathlib import Path
from typing import NamedTuple

import numpy as np

from attention_dynamics.deep.datasets.labelled import EncodedSentences
from attention_dynamics.deep.datasets.tokens import Encoder

MARKED_WORD = re.compile(r"\*(.+?)\*")
# Data set on which a classifier is trained -> class -> sentences, each with its designated word between asterisks.
SENTENCES: dict[str, dict[str, list[str]]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


class Sentence(NamedTuple):
    """A sentence with a designated word.

    text: the sentence without asterisks. designated: the designated word. before: the text before this word.
    """

    text: str
    designated: str
    before: str


def parse_sentence(marked: str) -> Sentence:
    """Return the sentence of a text such as "A *boring* film". Raises ValueError unless one word has asterisks."""
    found = MARKED_WORD.findall(marked)
    if len(found) != 1 or marked.count("*") != 2:
        raise ValueError(f"sentence: one word needs to stand between asterisks, got {marked!r}")
    return Sentence(marked.replace("*", ""), found[0], marked.partition("*")[0])


def encode_sentences(name: str, classes: tuple[str, ...], encoder: Encoder, length: int) -> EncodedSentences | None:
    """Return the sentences listed for a data set, encoded, or None if none of them can be used.

    A sentence can be used if its designated word is a single token of the vocabulary and is not cut off. name, classes:
    name and class names of the classifier's data set. length: largest number of tokens; longer sentences are cut.
    """
    lists = SENTENCES.get(name, {})
    listed = [(parse_sentence(text), classes.index(label)) for label, texts in lists.items() for text in texts]
    known = [(sentence, label) for sentence, label in listed if _is_known(sentence, encoder, length)]
    if not known:
        return None
    texts = [sentence.text for sentence, _ in known]
    longest = 1 + encoder.separator + max(len(encoder.tokenize(text)) for text in texts)
    return EncodedSentences(
        texts=np.array(texts),
        tokens=encoder.encode(texts, min(length, longest))[:, 0],
        designated=np.array([_position(sentence, encoder) for sentence, _ in known]),
        labels=np.array([label for _, label in known]),
        listed=np.array(len(listed)),
    )


def _is_known(sentence: Sentence, encoder: Encoder, length: int) -> bool:
    """Return whether the designated word is one token, in the vocabulary, and not cut off."""
    words, vocabulary = encoder.tokenize(sentence.designated), encoder.vocabulary
    known = len(words) == 1 and words[0] in vocabulary.number and words[0] != vocabulary.unknown
    return known and _position(sentence, encoder) < length - encoder.separator


def _position(sentence: Sentence, encoder: Encoder) -> int:
    """Return the position of the designated word among the tokens, of which [CLS] is number 0."""
    return 1 + len(encoder.tokenize(sentence.before))

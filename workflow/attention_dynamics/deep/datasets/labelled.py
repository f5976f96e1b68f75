"""Data sets as they come from any source, images, texts and running text, and texts as numbers of words."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.types import DataSource

Pixels = NDArray[np.uint8]
Classes = NDArray[np.int64]
Passage = str | tuple[str, str]
TEXT_ARRAYS = ("train_tokens", "train_labels", "test_tokens", "test_labels", "words", "classes")
SENTENCES = "sentences/"


@dataclass(frozen=True)
class StoredData:
    """Base class of data whose fields are stored, arrays as they are and other values as arrays of shape ()."""

    KIND: ClassVar[str] = ""

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return named arrays for the store."""
        arrays = {field.name: np.asarray(getattr(self, field.name)) for field in fields(self)}
        return {"kind": np.array(self.KIND), **arrays}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Return the data from the arrays that ``to_arrays`` returns."""
        stored = {field.name: arrays[field.name] for field in fields(cls)}
        return cls(**{name: array if array.ndim else array.item() for name, array in stored.items()})


@dataclass(frozen=True)
class Images(StoredData):
    """Training and test images with their classes.

    train_images: (N, H, W, C), 0 to 255. train_labels: (N,), 0 to ``classes`` - 1. test_images, test_labels: test data
    in the same form. name: name of the data set; "digits" or "digit_pairs" if these stand in for another set. source:
    where the images came from. note: an addition for captions, such as which part of the official set this is.
    classes: number of classes.
    """

    KIND: ClassVar[str] = "images"

    train_images: Pixels
    train_labels: Classes
    test_images: Pixels
    test_labels: Classes
    name: str
    source: DataSource
    note: str
    classes: int = 10

    @cached_property
    def digest(self) -> str:
        """SHA-256 over the names, types, shapes and values of the four arrays: the same however they were stored."""
        return sha256_of_arrays({field.name: getattr(self, field.name) for field in fields(self)[:4]})


@dataclass(frozen=True)
class LabelledTexts:
    """Training and test passages with their classes.

    train_texts: N strings, or N pairs of strings. train_labels: (N,), indices of ``classes``. test_texts, test_labels:
    test data in the same form. classes: names of the labels 0, 1, .... name: name of the data set. source: where the
    texts came from. note: an addition for captions, such as what the texts stand in for. Raises ValueError if the
    numbers of texts and labels differ.
    """

    train_texts: tuple[Passage, ...]
    train_labels: Classes
    test_texts: tuple[Passage, ...]
    test_labels: Classes
    classes: tuple[str, ...]
    name: str
    source: DataSource
    note: str

    def __post_init__(self) -> None:
        for part in ("train", "test"):
            texts, labels = len(getattr(self, f"{part}_texts")), len(getattr(self, f"{part}_labels"))
            if texts != labels:
                raise ValueError(f"{self.name}: {part} has {texts} texts but {labels} labels")

    @cached_property
    def digest(self) -> str:
        """SHA-256 over the texts, the labels and the names of the classes."""
        arrays = {
            **pack_texts("train_texts", self.train_texts),
            "train_labels": self.train_labels,
            **pack_texts("test_texts", self.test_texts),
            "test_labels": self.test_labels,
            "classes": np.array(self.classes),
        }
        return sha256_of_arrays(arrays)


@dataclass(frozen=True)
class Corpus:
    """Running text to train, validate and test a language model on: lines, whose words are separated by blanks.

    train, valid, test: lines without line feeds, empty lines included. name, source, note: as in ``LabelledTexts``.
    """

    train: tuple[str, ...]
    valid: tuple[str, ...]
    test: tuple[str, ...]
    name: str
    source: DataSource
    note: str

    @cached_property
    def digest(self) -> str:
        """SHA-256 over the lines."""
        parts = {"train": self.train, "valid": self.valid, "test": self.test}
        return sha256_of_arrays(
            {k: array for name, lines in parts.items() for k, array in pack_texts(name, lines).items()}
        )


def pack_texts(name: str, texts: Sequence[Passage]) -> dict[str, NDArray[Any]]:
    """Return N texts as two arrays: the UTF-8 bytes of all texts, one after the other, and the end of each text.

    The ends are indices of bytes, (N,), or (N, 2) for pairs. In an array of strings every text would take as much
    memory as the longest.
    """
    flat = [part for text in texts for part in ([text] if isinstance(text, str) else text)]
    encoded = [part.encode() for part in flat]
    ends = np.cumsum([len(part) for part in encoded], dtype=np.int64)
    shape = (len(texts), 2) if len(flat) > len(texts) else (len(texts),)
    return {f"{name}_utf8": np.frombuffer(b"".join(encoded), np.uint8), f"{name}_ends": ends.reshape(shape)}


def sha256_of_arrays(arrays: Mapping[str, NDArray[Any]]) -> str:
    """Return the SHA-256 over names, types, shapes and values of arrays, whatever their layout in memory."""
    digest = hashlib.sha256()
    for name, array in arrays.items():
        digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


@dataclass(frozen=True)
class EncodedCorpus(StoredData):
    """A running text as numbers of the words of its vocabulary.

    train_ids, valid_ids: (T,), the numbers of the T words of the training or validation text. words: (V,), the word of
    each number.
    """

    KIND: ClassVar[str] = "corpus"

    train_ids: NDArray[np.int32]
    valid_ids: NDArray[np.int32]
    words: NDArray[np.str_]


@dataclass(frozen=True)
class EncodedSentences:
    """S sentences, each with a designated word, as numbers of words (``datasets.sentences``).

    texts: (S,), the sentences. tokens: (S, T), the numbers of [CLS], the words, and [SEP] if the encoder uses it, then
    0 up to T, the length of the longest sentence. designated: (S,), position of the designated word in ``tokens``.
    labels: (S,), class of each sentence. listed: (), number of listed sentences, including those left out because
    their designated word is not a single known token or is cut off.
    """

    texts: NDArray[np.str_]
    tokens: NDArray[np.int32]
    designated: NDArray[np.int64]
    labels: NDArray[np.int64]
    listed: NDArray[np.int64]


@dataclass(frozen=True)
class EncodedTexts:
    """Texts as numbers of the words of their vocabulary, all of one length, as returned by ``tokens.Encoder``.

    train_tokens, test_tokens: (texts, 2, length); [:, 0] are the numbers of the words, [:, 1] is 1 within the second
    text of a pair and 0 elsewhere. train_labels, test_labels: (texts,). words: (V,), the word of each number. classes:
    the name of each label. sentences: our short sentences with a designated word, or None if this data set has none.
    """

    KIND: ClassVar[str] = "texts"

    train_tokens: NDArray[np.int32]
    train_labels: NDArray[np.int64]
    test_tokens: NDArray[np.int32]
    test_labels: NDArray[np.int64]
    words: NDArray[np.str_]
    classes: NDArray[np.str_]
    sentences: EncodedSentences | None = None

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return named arrays for the store; those of the sentences as "sentences/<name>"."""
        own = {name: getattr(self, name) for name in TEXT_ARRAYS}
        sentences = vars(self.sentences) if self.sentences else {}
        prefixed = {SENTENCES + name: array for name, array in sentences.items()}
        return {"kind": np.array(self.KIND), **own, **prefixed}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Return the texts from the arrays that ``to_arrays`` returns."""
        own = {name: arrays[name] for name in TEXT_ARRAYS}
        given = {name.removeprefix(SENTENCES): array for name, array in arrays.items() if name.startswith(SENTENCES)}
        return cls(**own, sentences=EncodedSentences(**given) if given else None)

"""Data sets as they come from any source: images with classes, texts with classes, and running text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.deep.datasets.files import sha256_of_arrays
from attention_dynamics.types import DataSource

Pixels = NDArray[np.uint8]
Classes = NDArray[np.int64]
Passage = str | tuple[str, str]


@dataclass(frozen=True)
class Images:
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

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return named arrays for the store."""
        arrays = {field.name: np.asarray(getattr(self, field.name)) for field in fields(self)}
        return {"kind": np.array(self.KIND), **arrays}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Return the images from the arrays that ``to_arrays`` returns."""
        values: dict[str, Any] = {name: array if array.ndim else array.item() for name, array in arrays.items()}
        values.pop("kind", None)
        return cls(**values)


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

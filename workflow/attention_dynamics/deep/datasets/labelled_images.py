"""Labelled images, whatever they were read from."""

from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.datasets.files import sha256_of_arrays
from attention_dynamics.datasets.sources import Source

Pixels = NDArray[np.uint8]
Classes = NDArray[np.int64]


@dataclass(frozen=True)
class Images:
    """Training and test images with their classes.

    train_images: (N, H, W, C), 0 to 255. train_labels: (N,), 0 to 9. test_images, test_labels: the same for the test.
    name: what they are of, "digits" also where digits stand in for another set. source: where they came from.
    note: what a caption should say besides, such as which part of the official set this is.
    """

    train_images: Pixels
    train_labels: Classes
    test_images: Pixels
    test_labels: Classes
    name: str
    source: Source
    note: str

    @cached_property
    def digest(self) -> str:
        """SHA-256 over the names, types, shapes and values of the four arrays: the same however they were stored."""
        return sha256_of_arrays({field.name: getattr(self, field.name) for field in fields(self)[:4]})

    def to_arrays(self) -> dict[str, NDArray]:
        """Named arrays for the store."""
        return {field.name: np.asarray(getattr(self, field.name)) for field in fields(self)}

    @classmethod
    def from_arrays(cls, arrays: dict[str, NDArray]) -> "Images":
        """The inverse of ``to_arrays``."""
        return cls(**{name: array if array.ndim else str(array) for name, array in arrays.items()})

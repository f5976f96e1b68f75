"""Images with classes, from any source."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.deep.datasets.files import sha256_of_arrays
from attention_dynamics.types import DataSource

Pixels = NDArray[np.uint8]
Classes = NDArray[np.int64]


@dataclass(frozen=True)
class Images:
    """Training and test images with their classes.

    train_images: (N, H, W, C), 0 to 255. train_labels: (N,), 0 to 9. test_images, test_labels: the same for the test.
    name: of the set, "digits" also where digits stand in for another set. source: where they came from.
    note: an addition for captions, such as which part of the official set this is.
    """

    KIND: ClassVar[str] = "images"

    train_images: Pixels
    train_labels: Classes
    test_images: Pixels
    test_labels: Classes
    name: str
    source: DataSource
    note: str

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
        """Return the images that ``to_arrays`` describes."""
        values: dict[str, Any] = {name: array if array.ndim else str(array) for name, array in arrays.items()}
        values.pop("kind", None)
        return cls(**values)

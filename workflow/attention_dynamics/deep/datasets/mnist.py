"""MNIST, in the idx format: http://yann.lecun.com/exdb/mnist (LeCun, Cortes and Burges), which no longer serves it."""

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.deep.datasets.files import (
    InvalidDataFile,
    check_classes,
    check_size,
    find_all_files,
    read_file,
    read_limited,
    sha256,
)
from attention_dynamics.deep.datasets.labelled_images import Images
from attention_dynamics.deep.datasets.official import fetch

TITLE = "MNIST"
FOLDER = "mnist"
SHAPE = (28, 28, 1)
# The copy that torchvision uses.
URL = "https://ossci-datasets.s3.amazonaws.com/mnist/"
UNSIGNED_BYTES = 0x0800


class IdxFile(NamedTuple):
    """A file of the data set.

    name: without the ending .gz. shape: of the array in it. sha256: of the decompressed official file.
    """

    name: str
    shape: tuple[int, ...]
    sha256: str

    @property
    def header(self) -> tuple[int, ...]:
        """Big-endian integers at the beginning of the file: the magic number, which counts the axes, and the shape."""
        return (UNSIGNED_BYTES + len(self.shape), *self.shape)

    @property
    def size(self) -> int:
        """Size of the decompressed file in bytes."""
        return 4 * len(self.header) + int(np.prod(self.shape))


FILES = {
    "train_images": IdxFile(
        "train-images-idx3-ubyte", (60_000, 28, 28), "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db"
    ),
    "train_labels": IdxFile(
        "train-labels-idx1-ubyte", (60_000,), "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5"
    ),
    "test_images": IdxFile(
        "t10k-images-idx3-ubyte", (10_000, 28, 28), "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7"
    ),
    "test_labels": IdxFile(
        "t10k-labels-idx1-ubyte", (10_000,), "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"
    ),
}


def load_official(cache: Path) -> Images:
    """Return the official set. Raises what ``official.fetch`` raises."""

    def content(file: IdxFile) -> tuple[str, bytes]:
        url = f"{URL}{file.name}.gz"
        # The decompressed content is pinned: copies differ in the time stamp of the gzip header.
        return url, fetch(url, file.sha256, cache, content=lambda data: read_limited(url, BytesIO(data), file.size))

    return Images(**_arrays(content), name="mnist", source="official", note="")


def load_mirror(folder: Path) -> Images:
    """Return the set in a folder with the four files, compressed or not; the note says whether it is the official
    content.

    Raises InvalidDataFile for a file that is missing, truncated, or has another magic number, shape or labels.
    """
    paths = find_all_files(folder, (file.name for file in FILES.values()))
    differing = []

    def content(file: IdxFile) -> tuple[Path, bytes]:
        path = paths[file.name]
        result = read_file(path, file.size)
        if sha256(result) != file.sha256:
            differing.append(path.name)
        return path, result

    arrays = _arrays(content)
    note = f"not the official content: {', '.join(differing)}" if differing else "the official content"
    return Images(**arrays, name="mnist", source="mirror", note=note)


def _arrays(content: Callable[[IdxFile], tuple[str | Path, bytes]]) -> dict[str, NDArray[Any]]:
    arrays = {field: decode(*content(file), file) for field, file in FILES.items()}
    return {field: array[..., None] if array.ndim == 3 else array.astype(np.int64) for field, array in arrays.items()}


def decode(name: str | Path, content: bytes, file: IdxFile) -> NDArray[np.uint8]:
    """Return the array in the decompressed content of an idx file.

    Raises InvalidDataFile, naming it, unless it is as expected.
    """
    start = 4 * len(file.header)
    found = tuple(np.frombuffer(content[:start].ljust(start, b"\0"), ">i4").tolist())
    if found != file.header:
        raise InvalidDataFile(f"{name}: magic number and shape are {found}, expected {file.header}")
    check_size(name, content, file.size)
    array = np.frombuffer(content, np.uint8, offset=start).reshape(file.shape)
    if array.ndim == 1:
        check_classes(name, array)
    return array.copy()

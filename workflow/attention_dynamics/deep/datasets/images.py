"""Loading of images: MNIST, CIFAR-10, CIFAR-100, and the digits that stand in for them."""

from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.deep.datasets.files import (
    InvalidDataFile,
    check_classes,
    check_size,
    find_all_files,
    find_files,
    read_file,
    read_limited,
    read_tar,
    sha256,
)
from attention_dynamics.deep.datasets.labelled import Classes, Images, Pixels
from attention_dynamics.deep.datasets.sources import TITLES, ArchivedDataset, PublishedDataset, fetch, file_name
from attention_dynamics.deep.datasets.stand_ins import load_digit_pairs, load_digits
from attention_dynamics.types import DataSource

DatasetName = Literal["mnist", "cifar10", "cifar100", "digits"]
UNSIGNED_BYTES = 0x0800


class IdxFile(NamedTuple):
    """A file of MNIST.

    name: file name without .gz. shape: shape of its array. sha256: digest of the decompressed official file.
    """

    name: str
    shape: tuple[int, ...]
    sha256: str

    @property
    def header(self) -> tuple[int, ...]:
        """Big-endian integers at the beginning of the file: a magic number, 0x0800 + number of axes, then the shape."""
        return (UNSIGNED_BYTES + len(self.shape), *self.shape)

    @property
    def size(self) -> int:
        """Size of the decompressed file in bytes."""
        return 4 * len(self.header) + int(np.prod(self.shape))


MNIST_FILES = {
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


class Mnist(PublishedDataset[Images]):
    """MNIST, in the idx format: http://yann.lecun.com/exdb/mnist (LeCun et al.), which no longer serves it."""

    NAME, FOLDER, SHAPE = "mnist", "mnist", (28, 28, 1)
    # Address of the copy that torchvision uses.
    URL = "https://ossci-datasets.s3.amazonaws.com/mnist/"

    def load_official(self, cache: Path) -> Images:
        """See ``PublishedDataset.load_official``."""

        def content(file: IdxFile) -> tuple[str, bytes]:
            url = f"{self.URL}{file.name}.gz"
            # The decompressed content is pinned: copies differ in the time stamp of the gzip header.
            return url, fetch(url, file.sha256, cache, content=lambda data: read_limited(url, BytesIO(data), file.size))

        return Images(**self._arrays(content), name="mnist", source="official", note="")

    def load_mirror(self, folder: Path) -> Images:
        """Return the set in a folder with the four files, compressed or not.

        The note says whether the files have the official content. Raises InvalidDataFile for a file that is missing or
        truncated, or has another magic number, another shape or a label above 9.
        """
        paths = find_all_files(folder, (file.name for file in MNIST_FILES.values()))
        differing = []

        def content(file: IdxFile) -> tuple[Path, bytes]:
            path = paths[file.name]
            result = read_file(path, file.size)
            if sha256(result) != file.sha256:
                differing.append(path.name)
            return path, result

        arrays = self._arrays(content)
        note = f"not the official content: {', '.join(differing)}" if differing else "the official content"
        return Images(**arrays, name="mnist", source="mirror", note=note)

    def _arrays(self, content: Callable[[IdxFile], tuple[str | Path, bytes]]) -> dict[str, Any]:
        arrays = {field: decode_idx(*content(file), file) for field, file in MNIST_FILES.items()}
        return {
            field: array[..., None] if array.ndim == 3 else array.astype(np.int64) for field, array in arrays.items()
        }


def decode_idx(name: str | Path, content: bytes, file: IdxFile) -> NDArray[np.uint8]:
    """Return the array in the decompressed content of an idx file.

    name: name of the file, for messages. file: the expected header and size. Raises InvalidDataFile for another magic
    number, shape or size, and for a label above 9.
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


class Cifar(ArchivedDataset[Images]):
    """A set of images of 32 x 32 pixels in the binary layout of https://www.cs.toronto.edu/~kriz/cifar.html.

    TRAIN: names of the files of training images. TEST: name of the file of test images. RECORDS: file -> number of its
    records. A record has LABEL_BYTES bytes, of which the last is the class (0 to CLASSES - 1), and then the red, green
    and blue planes of the image.
    """

    SHAPE = (32, 32, 3)
    PIXEL_BYTES = 32 * 32 * 3
    TRAIN: ClassVar[tuple[str, ...]]
    TEST: ClassVar[str]
    RECORDS: ClassVar[Mapping[str, int]]
    LABEL_BYTES: ClassVar[int]
    CLASSES: ClassVar[int]

    def read_files(self, folder: Path) -> tuple[dict[str, tuple[Path, bytes]], str]:
        """See ``ArchivedDataset.read_files``; the folder needs the test batch and at least one training batch.

        The parts are as in ``unpack``. The note says which training batches there are.
        """
        paths = find_files(folder, (*self.TRAIN, self.TEST))
        if self.TEST not in paths or len(paths) < 2:
            missing, batches = self.TRAIN[0] if self.TEST in paths else self.TEST, ", ".join(self.TRAIN)
            expected = f"{self.TEST} and at least one of {batches}, or {file_name(self.URL)}"
            raise InvalidDataFile(f"{folder / missing}: is missing; expected {expected}")
        contents = {name: (path, read_file(path, self._size(name))) for name, path in paths.items()}
        note = f"training batches: {', '.join(path.name for name, path in paths.items() if name != self.TEST)}"
        return contents, note

    def unpack(self, name: str, archive: bytes) -> dict[str, tuple[str, bytes]]:
        """Return the batches in the official archive: file name -> (name for messages, content).

        Raises InvalidDataFile for an archive with a batch missing, and what ``read_tar`` raises.
        """
        wanted = (*self.TRAIN, self.TEST)
        batches = read_tar(name, archive, lambda path: path.name in wanted)
        contents = {path.name: (f"{name} ({path.name})", content) for path, content in batches}
        if missing := [batch for batch in wanted if batch not in contents]:
            raise InvalidDataFile(f"{name}: {missing[0]} is missing; expected {', '.join(wanted)}")
        return contents

    def _size(self, batch: str) -> int:
        return self.RECORDS[batch] * (self.LABEL_BYTES + self.PIXEL_BYTES)

    def build(self, parts: Mapping[str, tuple[str | Path, bytes]], source: DataSource, note: str) -> Images:
        """See ``ArchivedDataset.build``. Raises InvalidDataFile for a batch of another size or a label too large."""
        batches = {one: self._decode(one, *parts[one]) for one in (*self.TRAIN, self.TEST) if one in parts}
        test_images, test_labels = batches.pop(self.TEST)
        train_images, train_labels = map(np.concatenate, zip(*batches.values(), strict=True))
        return Images(train_images, train_labels, test_images, test_labels, self.NAME, source, note, self.CLASSES)

    def _decode(self, batch: str, name: str | Path, content: bytes) -> tuple[Pixels, Classes]:
        """Return images (n, 32, 32, 3) and classes (n,) of a batch. Raises InvalidDataFile as ``build``."""
        check_size(name, content, self._size(batch))
        records = np.frombuffer(content, np.uint8).reshape(self.RECORDS[batch], -1)
        labels = records[:, self.LABEL_BYTES - 1]
        check_classes(name, labels, self.CLASSES)
        planes = records[:, self.LABEL_BYTES :].reshape(-1, 3, 32, 32)
        return np.ascontiguousarray(planes.transpose(0, 2, 3, 1)), labels.astype(np.int64)


class Cifar10(Cifar):
    """CIFAR-10 (Krizhevsky 2009)."""

    NAME, FOLDER = "cifar10", "cifar-10"
    URL = "https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz"
    SHA256 = "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd"
    TRAIN, TEST = tuple(f"data_batch_{k}.bin" for k in range(1, 6)), "test_batch.bin"
    RECORDS = dict.fromkeys((*TRAIN, TEST), 10_000)
    LABEL_BYTES, CLASSES = 1, 10


class Cifar100(Cifar):
    """CIFAR-100 (Krizhevsky 2009) with 100 fine classes. Byte 0 of a record, one of 20 coarse classes, is not used."""

    NAME, FOLDER = "cifar100", "cifar-100"
    URL = "https://www.cs.toronto.edu/~kriz/cifar-100-binary.tar.gz"
    SHA256 = "58a81ae192c23a4be8b1804d68e518ed807d710a4eb253b1f2a199162a40d8ec"
    TRAIN, TEST = ("train.bin",), "test.bin"
    RECORDS: ClassVar[Mapping[str, int]] = {"train.bin": 50_000, "test.bin": 10_000}
    LABEL_BYTES, CLASSES = 2, 100


DOWNLOADED: dict[str, Any] = {"mnist": Mnist(), "cifar10": Cifar10(), "cifar100": Cifar100()}


def load_images(
    name: DatasetName,
    source: DataSource,
    *,
    mirror: str | Path | None = None,
    cache: str | Path | None = None,
    upscaled: bool = False,
) -> Images:
    """Return images by name and source, with a note on what they are and where they came from.

    source: "official", downloaded once and kept in ``cache`` (default: the user's cache folder); "mirror", a local
    folder ``mirror`` with the official files in it or in its subfolder ``mnist``, ``cifar-10`` or ``cifar-100``; or
    "embedded", where scikit-learn's digits stand in for the other sets: pairs of digits for CIFAR-100, else single
    ones. upscaled: stand-ins have the size and channels of the images they replace, not 8 x 8 x 1 (pairs: 8 x 16 x 1).

    Raises ValueError for arguments that contradict each other.
    Raises InvalidDataFile for a file that is missing or invalid.
    Raises DownloadError if an official file cannot be fetched.
    """
    if source == "embedded":
        return _embedded(name, upscaled)
    if name == "digits":
        raise ValueError(f"digits: the only source is 'embedded', not {source!r}")
    if upscaled:
        raise ValueError(f"{name}: upscaled needs source 'embedded', got {source!r}")
    images: Images = DOWNLOADED[name].load(source, mirror, cache)
    return images


def _embedded(name: DatasetName, upscaled: bool) -> Images:
    if name == "digits":
        if upscaled:
            raise ValueError("digits: upscaled needs the name of the set that the digits stand in for")
        return load_digits()
    load, what = (load_digit_pairs, "digit pairs") if name == "cifar100" else (load_digits, "digits")
    note = f"{what} stand-in, not {TITLES[name][0]}"
    return load(DOWNLOADED[name].SHAPE, note) if upscaled else load(note=note)

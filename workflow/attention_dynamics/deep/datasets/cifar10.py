"""CIFAR-10, in the binary layout: https://www.cs.toronto.edu/~kriz/cifar.html (Krizhevsky 2009)."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from attention_dynamics.deep.datasets.archives import read_tar
from attention_dynamics.deep.datasets.files import InvalidDataFile, check_classes, check_size, find_files, read_file
from attention_dynamics.deep.datasets.labelled_images import Classes, Images, Pixels
from attention_dynamics.deep.datasets.official import fetch
from attention_dynamics.types import DataSource

TITLE = "CIFAR-10"
FOLDER = "cifar-10"
SHAPE = (32, 32, 3)
URL = "https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz"
SHA256 = "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd"
TRAIN = tuple(f"data_batch_{k}.bin" for k in range(1, 6))
TEST = "test_batch.bin"
RECORDS = 10_000
RECORD_BYTES = 1 + 32 * 32 * 3


def load_official(cache: Path) -> Images:
    """Return the official set. Raises what ``official.fetch`` and ``unpack`` raise."""
    return _images(unpack(URL, fetch(URL, SHA256, cache)), "official", "")


def load_mirror(folder: Path) -> Images:
    """Return the set in a folder with the test batch and at least one training batch, uncompressed or compressed.

    The note says which training batches there are. Raises InvalidDataFile where none or the test batch is there, and
    for a batch that does not have 10,000 records with labels 0 to 9.
    """
    paths = find_files(folder, (*TRAIN, TEST))
    if TEST not in paths or len(paths) < 2:
        missing = TRAIN[0] if TEST in paths else TEST
        raise InvalidDataFile(f"{folder / missing}: is missing; expected {TEST} and at least one of {', '.join(TRAIN)}")
    contents: dict[str, tuple[str | Path, bytes]] = {}
    for name, path in paths.items():
        contents[name] = (path, read_file(path, RECORDS * RECORD_BYTES))
    return _images(contents, "mirror", f"training batches: {', '.join(p.name for n, p in paths.items() if n != TEST)}")


def unpack(name: str, archive: bytes) -> dict[str, tuple[str, bytes]]:
    """Return the batches in the official archive: file name -> (name for messages, content).

    Raises InvalidDataFile for an archive with a batch missing, and what ``read_tar`` raises.
    """
    batches = read_tar(name, archive, lambda path: path.name in (*TRAIN, TEST))
    contents = {path.name: (f"{name} ({path.name})", content) for path, content in batches}
    if missing := [batch for batch in (*TRAIN, TEST) if batch not in contents]:
        raise InvalidDataFile(f"{name}: {missing[0]} is missing; expected {', '.join((*TRAIN, TEST))}")
    return contents


def _images(contents: Mapping[str, tuple[str | Path, bytes]], source: DataSource, note: str) -> Images:
    batches = {batch: decode(*contents[batch]) for batch in (*TRAIN, TEST) if batch in contents}
    test_images, test_labels = batches.pop(TEST)
    train_images, train_labels = map(np.concatenate, zip(*batches.values(), strict=True))
    return Images(train_images, train_labels, test_images, test_labels, "cifar10", source, note)


def decode(name: str | Path, content: bytes) -> tuple[Pixels, Classes]:
    """Return images (10000, 32, 32, 3) and classes (10000,) of a batch, whose records are a class and three planes of
    color.

    Raises InvalidDataFile, naming it, for another number of records or a class above 9.
    """
    check_size(name, content, RECORDS * RECORD_BYTES)
    records = np.frombuffer(content, np.uint8).reshape(RECORDS, RECORD_BYTES)
    check_classes(name, records[:, 0])
    planes = records[:, 1:].reshape(RECORDS, 3, 32, 32)
    return np.ascontiguousarray(planes.transpose(0, 2, 3, 1)), records[:, 0].astype(np.int64)

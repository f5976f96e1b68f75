"""Small sets of images in the official formats, for tests of the doors they come through."""

import gzip
import struct

import numpy as np

from attention_dynamics.deep.datasets import files, images

ARRAYS = ("train_images", "train_labels", "test_images", "test_labels")
SIZES = {"train": 20, "test": 10}


def random_images(side, channels, sizes=SIZES, seed=0):
    """Arrays by the names of the fields of Images."""
    rng = np.random.default_rng(seed)
    return {
        f"{part}_{kind}": rng.integers(0, 256, (n, side, side, channels), np.uint8)
        if kind == "images"
        else rng.integers(0, 10, n)
        for part, n in sizes.items()
        for kind in ("images", "labels")
    }


def idx(array):
    """Return an array in the idx format, as LeCun's page describes it."""
    magic = {3: 2051, 1: 2049}[array.ndim]
    return struct.pack(f">{array.ndim + 1}I", magic, *array.shape) + array.astype(np.uint8).tobytes()


def batch(pixels, labels):
    """Return images in the binary layout of Krizhevsky's page: a label, then red, green and blue, row by row."""
    rows = zip(pixels, labels, strict=True)
    return b"".join(bytes([label]) + b"".join(image[:, :, c].tobytes() for c in range(3)) for image, label in rows)


def small_mnist(monkeypatch) -> tuple[dict, dict]:
    """Arrays, and their contents by file name, pinned as if they were the official ones."""
    arrays = random_images(28, 1)
    contents = {f.name: idx(arrays[field].squeeze(-1) if field.endswith("images") else arrays[field])
                for field, f in images.MNIST_FILES.items()}  # fmt: skip
    for field, file in images.MNIST_FILES.items():
        shape = (len(arrays[field]), *file.shape[1:])
        pinned = images.IdxFile(file.name, shape, files.sha256(contents[file.name]))
        monkeypatch.setitem(images.MNIST_FILES, field, pinned)
    return arrays, contents


def small_cifar10(monkeypatch) -> tuple[dict, dict]:
    """Five training batches and a test batch of ten, and their contents by file name."""
    monkeypatch.setattr(images.Cifar10, "RECORDS", 10)
    arrays = random_images(32, 3, {"train": 50, "test": 10})
    contents = {name: batch(arrays["train_images"][10 * k :][:10], arrays["train_labels"][10 * k :][:10])
                for k, name in enumerate(images.Cifar10.TRAIN)}  # fmt: skip
    return arrays, contents | {images.Cifar10.TEST: batch(arrays["test_images"], arrays["test_labels"])}


def write_files(folder, contents):
    folder.mkdir(exist_ok=True)
    for name, content in contents.items():
        (folder / f"{name}.gz").write_bytes(gzip.compress(content, 1))
    return folder

"""Small sets of images in the official formats, for tests of the doors they come through."""

import struct

import numpy as np

from attention_dynamics.deep.datasets import files, images

ARRAYS = ("train_images", "train_labels", "test_images", "test_labels")
SIZES = {"train": 20, "test": 10}


def random_images(side, channels, sizes=SIZES, seed=0, classes=10):
    """Arrays by the names of the fields of Images."""
    rng = np.random.default_rng(seed)
    return {
        f"{part}_{kind}": rng.integers(0, 256, (n, side, side, channels), np.uint8)
        if kind == "images"
        else rng.integers(0, classes, n)
        for part, n in sizes.items()
        for kind in ("images", "labels")
    }


def idx(array):
    """Return an array in the idx format, as LeCun's page describes it."""
    magic = {3: 2051, 1: 2049}[array.ndim]
    return struct.pack(f">{array.ndim + 1}I", magic, *array.shape) + array.astype(np.uint8).tobytes()


def batch(pixels, labels):
    """Return images in the binary layout of Krizhevsky's page: labels, then red, green and blue, row by row.

    labels: (n,), or (n, 2) of CIFAR-100, the coarse one first.
    """
    rows = zip(pixels, np.reshape(labels, (len(labels), -1)).astype(np.uint8), strict=True)
    return b"".join(own.tobytes() + b"".join(image[:, :, c].tobytes() for c in range(3)) for image, own in rows)


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
    monkeypatch.setattr(images.Cifar10, "RECORDS", dict.fromkeys(images.Cifar10.RECORDS, 10))
    arrays = random_images(32, 3, {"train": 50, "test": 10})
    contents = {name: batch(arrays["train_images"][10 * k :][:10], arrays["train_labels"][10 * k :][:10])
                for k, name in enumerate(images.Cifar10.TRAIN)}  # fmt: skip
    return arrays, contents | {images.Cifar10.TEST: batch(arrays["test_images"], arrays["test_labels"])}


def small_cifar100(monkeypatch) -> tuple[dict, dict]:
    """Twenty training and ten test records, with coarse labels that are not the classes, and their contents."""
    monkeypatch.setattr(images.Cifar100, "RECORDS", {"train.bin": 20, "test.bin": 10})
    arrays = random_images(32, 3, classes=100)
    arrays["train_labels"][0] = 99
    contents = {
        f"{part}.bin": batch(arrays[f"{part}_images"], np.stack([fine // 5, fine], axis=1))
        for part, fine in ((part, arrays[f"{part}_labels"]) for part in SIZES)
    }
    return arrays, contents

"""Images with classes, from the door for data (``datasets.load``)."""

from dataclasses import replace
from typing import Literal

from attention_dynamics.datasets.images import Images
from attention_dynamics.problems.problem import Shape
from attention_dynamics.types import Count, DataSource

TITLES = {"mnist": "MNIST", "cifar10": "CIFAR-10", "digits": "digits"}


def label(dataset: str, source: str) -> str:
    """What a figure says about its data."""
    if source == "embedded" or dataset == "digits":
        stand_in = "" if dataset == "digits" else f", in place of {TITLES[dataset]}"
        return f"data: scikit-learn's digits{stand_in}"
    return f"data: {TITLES[dataset]}, {'a local mirror' if source == 'mirror' else 'official'}"


def shape(
    *, dataset: Literal["mnist", "cifar10", "digits"], upscaled: bool = False, train: Count | None = None,
    test: Count | None = None,
) -> Shape:  # fmt: skip
    """P = 1."""
    return Shape(1, 1, 1, 1, data="images")


def build(
    source: DataSource = "embedded", mirror: str | None = None, *, dataset: Literal["mnist", "cifar10", "digits"],
    upscaled: bool = False, train: Count | None = None, test: Count | None = None,
) -> Images:  # fmt: skip
    """source, mirror: as ``datasets.load.load_images`` takes them, and the settings ``data`` and ``data_mirror`` say.

    upscaled: the embedded stand-in in the size of what it stands in for. train, test: so many of the images, the
    first ones; all by default. Raises what ``load_images`` raises.
    """
    from attention_dynamics.datasets.load import load_images

    own_only = source == "embedded" or dataset == "digits"
    images = load_images(
        dataset, "embedded" if own_only else source, mirror=mirror, upscaled=upscaled and source == "embedded"
    )
    return replace(
        images,
        train_images=images.train_images[:train],
        train_labels=images.train_labels[:train],
        test_images=images.test_images[:test],
        test_labels=images.test_labels[:test],
    )

"""Images with classes, from the door for data (``datasets.load``)."""

from dataclasses import replace
from typing import Literal

from attention_dynamics.datasets.images import Images
from attention_dynamics.problems.problem import Shape
from attention_dynamics.types import Count, DataSource


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

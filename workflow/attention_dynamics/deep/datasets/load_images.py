"""Loading of images."""

from pathlib import Path
from typing import Any, Literal

from attention_dynamics.deep.datasets import cifar10, digits, mnist
from attention_dynamics.deep.datasets.labelled_images import Images
from attention_dynamics.deep.datasets.sources import load_dataset
from attention_dynamics.types import DataSource

DatasetName = Literal["mnist", "cifar10", "digits"]
DOWNLOADED: dict[str, Any] = {"mnist": mnist, "cifar10": cifar10}


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
    folder ``mirror`` with the official files in it or in its subfolder ``mnist`` or ``cifar-10``; or "embedded",
    scikit-learn's digits, which stand in for the other sets. upscaled: stand-ins have the size and the channels of
    what they stand in for, instead of 8 x 8 x 1.

    Raises ValueError for arguments that contradict each other, InvalidDataFile for a file that is missing or invalid,
    DownloadError where an official file cannot be fetched.
    """
    if source == "embedded":
        return _embedded(name, upscaled)
    if name == "digits":
        raise ValueError(f"digits: the only source is 'embedded', not {source!r}")
    if upscaled:
        raise ValueError(f"{name}: upscaled needs source 'embedded', got {source!r}")
    images: Images = load_dataset(name, DOWNLOADED[name], source, mirror=mirror, cache=cache)
    return images


def _embedded(name: DatasetName, upscaled: bool) -> Images:
    if name == "digits":
        if upscaled:
            raise ValueError("digits: upscaled needs the name of the set that the digits stand in for")
        return digits.load_embedded()
    original = DOWNLOADED[name]
    note = f"digits stand-in, not {original.TITLE}"
    return digits.load_embedded(original.SHAPE, note) if upscaled else digits.load_embedded(note=note)

"""``python -m attention_dynamics.datasets mnist --source official``: fetch or check a set of images and describe it."""

import argparse
import sys
from collections.abc import Sequence
from typing import get_args

from attention_dynamics.datasets.files import RefusedFile
from attention_dynamics.datasets.images import Source
from attention_dynamics.datasets.load import DatasetName, load_images
from attention_dynamics.datasets.official import Unreachable


def main(arguments: Sequence[str] | None = None) -> None:
    """Load a set and print its counts, shape and digest; exit with one line where that fails."""
    parser = argparse.ArgumentParser(prog="python -m attention_dynamics.datasets", description=__doc__)
    parser.add_argument("name", choices=get_args(DatasetName))
    parser.add_argument("--source", choices=get_args(Source), required=True)
    parser.add_argument("--mirror", help="folder with the official files")
    parser.add_argument("--cache", help="folder where downloads are kept")
    parser.add_argument("--upscaled", action="store_true", help="digits in the size of what they stand in for")
    try:
        images = load_images(**vars(parser.parse_args(arguments)))
    except (RefusedFile, Unreachable, ModuleNotFoundError, ValueError) as error:
        sys.exit(str(error))
    shape = " x ".join(map(str, images.train_images.shape[1:]))
    counts = f"{len(images.train_labels)} + {len(images.test_labels)}"
    print(f"{images.name} ({images.source}): {counts} images of {shape}, {images.digest}, {images.note or 'complete'}")


if __name__ == "__main__":
    main()

"""``python -m attention_dynamics.deep.datasets mnist --source official``: fetch or check a data set and describe it."""

import argparse
import sys
from collections.abc import Sequence
from typing import get_args

from attention_dynamics.deep.datasets.files import InvalidDataFile
from attention_dynamics.deep.datasets.labelled_images import Images
from attention_dynamics.deep.datasets.labelled_texts import Corpus, LabelledTexts
from attention_dynamics.deep.datasets.load_images import DatasetName, load_images
from attention_dynamics.deep.datasets.load_texts import TextName, load_texts
from attention_dynamics.deep.datasets.official import DownloadError
from attention_dynamics.types import DataSource


def main(arguments: Sequence[str] | None = None) -> None:
    """Load a set and print its counts, shape and digest; exit with one line where that fails."""
    parser = argparse.ArgumentParser(prog="python -m attention_dynamics.deep.datasets", description=__doc__)
    parser.add_argument("name", choices=(*get_args(DatasetName), *get_args(TextName)))
    parser.add_argument("--source", choices=get_args(DataSource), required=True)
    parser.add_argument("--mirror", help="folder with the official files")
    parser.add_argument("--cache", help="folder where downloads are kept")
    parser.add_argument("--upscaled", action="store_true", help="digits in the size of what they stand in for")
    options = vars(parser.parse_args(arguments))
    try:
        data: Images | LabelledTexts | Corpus
        if options["name"] in get_args(DatasetName):
            data = load_images(**options)
        elif options.pop("upscaled"):
            raise ValueError(f"{options['name']}: upscaled applies to images only")
        else:
            data = load_texts(**options)
    except (InvalidDataFile, DownloadError, ModuleNotFoundError, ValueError) as error:
        sys.exit(str(error))
    print(f"{data.name} ({data.source}): {_describe(data)}, {data.digest}, {data.note or 'complete'}")


def _describe(data: Images | LabelledTexts | Corpus) -> str:
    if isinstance(data, Corpus):
        return f"{len(data.train)} + {len(data.valid)} + {len(data.test)} lines"
    counts = f"{len(data.train_labels)} + {len(data.test_labels)}"
    if isinstance(data, LabelledTexts):
        return f"{counts} texts in {len(data.classes)} classes"
    return f"{counts} images of {' x '.join(map(str, data.train_images.shape[1:]))}"


if __name__ == "__main__":
    main()

"""``python -m attention_dynamics.datasets mnist --source official``: fetch or check a set of data and describe it."""

import argparse
import sys
from collections.abc import Sequence
from typing import get_args

from attention_dynamics.datasets.files import RefusedFile
from attention_dynamics.datasets.images import Images
from attention_dynamics.datasets.load import DatasetName, load_images
from attention_dynamics.datasets.load_texts import TextName, load_texts
from attention_dynamics.datasets.official import Unreachable
from attention_dynamics.datasets.sources import Source
from attention_dynamics.datasets.texts import Corpus, LabelledTexts


def main(arguments: Sequence[str] | None = None) -> None:
    """Load a set and print its counts, shape and digest; exit with one line where that fails."""
    parser = argparse.ArgumentParser(prog="python -m attention_dynamics.datasets", description=__doc__)
    parser.add_argument("name", choices=(*get_args(DatasetName), *get_args(TextName)))
    parser.add_argument("--source", choices=get_args(Source), required=True)
    parser.add_argument("--mirror", help="folder with the official files")
    parser.add_argument("--cache", help="folder where downloads are kept")
    parser.add_argument("--upscaled", action="store_true", help="digits in the size of what they stand in for")
    chosen = vars(parser.parse_args(arguments))
    try:
        if chosen["name"] in get_args(DatasetName):
            data = load_images(**chosen)
        elif chosen.pop("upscaled"):
            raise ValueError(f"{chosen['name']}: upscaled is for images")
        else:
            data = load_texts(**chosen)
    except (RefusedFile, Unreachable, ModuleNotFoundError, ValueError) as error:
        sys.exit(str(error))
    print(f"{data.name} ({data.source}): {_content(data)}, {data.digest}, {data.note or 'complete'}")


def _content(data: Images | LabelledTexts | Corpus) -> str:
    if isinstance(data, Corpus):
        return f"{len(data.train)} + {len(data.valid)} + {len(data.test)} lines"
    counts = f"{len(data.train_labels)} + {len(data.test_labels)}"
    if isinstance(data, LabelledTexts):
        return f"{counts} texts in {len(data.classes)} classes"
    return f"{counts} images of {' x '.join(map(str, data.train_images.shape[1:]))}"


if __name__ == "__main__":
    main()

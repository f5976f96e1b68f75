"""``python -m attention_dynamics.deep.datasets mnist --source official``: fetch or check a data set and describe it."""

import argparse
import os.path
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, get_args

from attention_dynamics.deep.datasets.files import InvalidDataFile
from attention_dynamics.deep.datasets.images import DatasetName, load_images
from attention_dynamics.deep.datasets.labelled import Corpus, Images, LabelledTexts
from attention_dynamics.deep.datasets.published_bert import load_vocabulary, load_weights
from attention_dynamics.deep.datasets.sources import VOCABULARY_NAME, DownloadError
from attention_dynamics.deep.datasets.texts import TextName, load_texts
from attention_dynamics.types import DataSource, PublishedModel

BertVocabulary = Literal["bert-vocabulary"]
NAMES = (*get_args(DatasetName), *get_args(TextName), VOCABULARY_NAME, *get_args(PublishedModel))


def main(arguments: Sequence[str] | None = None) -> None:
    """Load a data set and print its counts, shape and digest; exit with a one-line message if loading fails."""
    parser = argparse.ArgumentParser(prog="python -m attention_dynamics.deep.datasets", description=__doc__)
    parser.add_argument("name", choices=NAMES)
    parser.add_argument("--source", choices=get_args(DataSource), required=True)
    parser.add_argument("--mirror", type=os.path.expanduser, help="folder with the official files")
    parser.add_argument("--cache", type=os.path.expanduser, help="folder where downloads are kept")
    parser.add_argument("--upscaled", action="store_true", help="digits in the size of what they stand in for")
    try:
        print(describe_dataset(**vars(parser.parse_args(arguments))))
    except (InvalidDataFile, DownloadError, ModuleNotFoundError, ValueError, OSError) as error:
        sys.exit(str(error))


def describe_dataset(
    name: DatasetName | TextName | BertVocabulary | PublishedModel,
    source: DataSource,
    *,
    mirror: str | Path | None = None,
    cache: str | Path | None = None,
    upscaled: bool = False,
) -> str:
    """Load a data set, a vocabulary or a model, and return one line about it.

    The line has the counts, shape, digest and note of a data set, the number of pieces of a vocabulary, or the number
    of arrays of a model. Arguments and errors are those of ``load_images`` and ``load_texts``. Raises ValueError also
    for ``upscaled`` with a name that is not one of images.
    """
    if upscaled and name not in get_args(DatasetName):
        raise ValueError(f"{name}: upscaled applies to images only")
    data: Images | LabelledTexts | Corpus
    match name:
        case "bert-vocabulary":
            return f"{name} ({source}): {len(load_vocabulary(source, mirror, cache))} pieces of words, complete"
        case "bert-base-uncased" | "all-minilm-l6-v2":
            weights = load_weights(source, mirror, cache, model=name)
            return f"{name} ({source}): {len(weights)} arrays of weights, complete"
        case "mnist" | "cifar10" | "cifar100" | "digits":
            data = load_images(name, source, mirror=mirror, cache=cache, upscaled=upscaled)
        case _:
            data = load_texts(name, source, mirror=mirror, cache=cache)
    return f"{data.name} ({data.source}): {_counts(data)}, {data.digest}, {data.note or 'complete'}"


def _counts(data: Images | LabelledTexts | Corpus) -> str:
    if isinstance(data, Corpus):
        return f"{len(data.train)} + {len(data.valid)} + {len(data.test)} lines"
    counts = f"{len(data.train_labels)} + {len(data.test_labels)}"
    if isinstance(data, LabelledTexts):
        return f"{counts} texts in {len(data.classes)} classes"
    return f"{counts} images of {' x '.join(map(str, data.train_images.shape[1:]))}"


if __name__ == "__main__":
    main()

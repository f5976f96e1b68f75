"""IMDb, the Large Movie Review Dataset (Maas et al. 2011): https://ai.stanford.edu/~amaas/data/sentiment.

The SHA-256 of the archive is the one in tensorflow/datasets (url_checksums/imdb_reviews.txt) and in JuliaText/
CorpusLoaders.jl (src/IMDB_DataDeps.jl).
"""

from pathlib import Path, PurePosixPath

import numpy as np

from attention_dynamics.deep.datasets.archives import read_tar
from attention_dynamics.deep.datasets.files import InvalidDataFile, find_all_files
from attention_dynamics.deep.datasets.labelled_images import Classes
from attention_dynamics.deep.datasets.labelled_texts import LabelledTexts
from attention_dynamics.deep.datasets.official import fetch, file_name, find_local_copy
from attention_dynamics.deep.datasets.text_parsing import describe_share, number_labels, read_content, read_rows
from attention_dynamics.types import DataSource

TITLE = "IMDb"
FOLDER = "imdb"
URL = "https://ai.stanford.edu/~amaas/data/sentiment/aclImdb_v1.tar.gz"
SHA256 = "c40f74a18d3b61f90feba1e17730e0d38e8b97c05fde7008942e91923d1658fe"
CLASSES = ("negative", "positive")
FOLDERS = {"neg": 0, "pos": 1}
OFFICIAL_SIZES = (25_000, 25_000)
Part = tuple[tuple[str, ...], Classes]


def load_official(cache: Path) -> LabelledTexts:
    """Return the official set. Raises what ``official.fetch`` and ``unpack`` raise."""
    return _texts(unpack(URL, fetch(URL, SHA256, cache)), "official", "")


def load_mirror(folder: Path) -> LabelledTexts:
    """Return the set in a folder with the official archive, or else with ``imdb_train.csv`` and ``imdb_test.csv``.

    These, uncompressed or compressed, have columns ``label`` (1 for positive) and ``text``; the note says how many rows
    there are. Raises InvalidDataFile for a file that is missing, cannot be read to its end, or has other labels.
    """
    if (archive := find_local_copy(URL, SHA256, folder)) is not None:
        return _texts(unpack(file_name(URL), archive), "mirror", "the official archive")
    names = {part: f"imdb_{part}.csv" for part in ("train", "test")}
    paths = find_all_files(folder, names.values(), instead=file_name(URL))
    parts = {part: _table(paths[name]) for part, name in names.items()}
    return _texts(parts, "mirror", describe_share(parts, OFFICIAL_SIZES))


def unpack(name: str, archive: bytes) -> dict[str, Part]:
    """Return texts and labels of "train" and "test" in the official archive: negative, then positive, by their numbers.

    Raises InvalidDataFile for an archive without one of the four folders of reviews, and what ``read_tar`` raises.
    """
    found: dict[tuple[str, int], list[tuple[int, str]]] = {}
    for path, data in read_tar(name, archive, _is_review):
        part, folder = path.parts[-3:-1]
        found.setdefault((part, FOLDERS[folder]), []).append((int(path.stem.split("_")[0]), data.decode()))
    result = {}
    for part in ("train", "test"):
        for folder, label in FOLDERS.items():
            if (part, label) not in found:
                raise InvalidDataFile(f"{name}: {part}/{folder} is missing")
        texts = [[text for _, text in sorted(found[part, label])] for label in range(2)]
        result[part] = (*texts[0], *texts[1]), np.repeat(np.arange(2), [len(texts[0]), len(texts[1])])
    return result


def _is_review(path: PurePosixPath) -> bool:
    return path.suffix == ".txt" and path.parent.name in FOLDERS and path.parent.parent.name in ("train", "test")


def _table(path: Path) -> Part:
    labels, texts = zip(*read_rows(path, read_content(path), ("label", "text")), strict=True)
    return texts, number_labels(path, labels, {"0": 0, "1": 1})


def _texts(parts: dict[str, Part], source: DataSource, note: str) -> LabelledTexts:
    return LabelledTexts(*parts["train"], *parts["test"], CLASSES, "imdb", source, note)

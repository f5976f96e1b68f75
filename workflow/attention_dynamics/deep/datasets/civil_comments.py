"""Civil Comments (Borkan et al. 2019), as Jigsaw released it for the Unintended Bias competition; CC0.

A comment is toxic where at least half of its annotators say so. The test comments are those of the private leaderboard.
The SHA-256 of the archive is the one in tensorflow/datasets (url_checksums/civil_comments.txt) and in
huggingface/datasets (civil_comments/dataset_infos.json).
"""

from pathlib import Path

import numpy as np

from attention_dynamics.deep.datasets.archives import read_zip_file
from attention_dynamics.deep.datasets.files import InvalidDataFile, find_all_files
from attention_dynamics.deep.datasets.labelled_images import Classes
from attention_dynamics.deep.datasets.labelled_texts import LabelledTexts
from attention_dynamics.deep.datasets.official import fetch, file_name, find_local_copy
from attention_dynamics.deep.datasets.text_parsing import describe_share, read_content, read_rows
from attention_dynamics.types import DataSource

TITLE = "Civil Comments"
FOLDER = "civil-comments"
URL = "https://storage.googleapis.com/jigsaw-unintended-bias-in-toxicity-classification/civil_comments.zip"
SHA256 = "767b71a3d9dc7a2eceb234d0c3e7e38604e11f59c12ba1cbb888ffd4ce6b6271"
CLASSES = ("not toxic", "toxic")
THRESHOLD = 0.5
# Member of the archive and its column of toxicity, whose name differs in the training comments.
MEMBERS = {"train": ("train.csv", "target"), "test": ("test_private_expanded.csv", "toxicity")}
OFFICIAL_SIZES = (1_804_874, 97_320)
Part = tuple[tuple[str, ...], Classes]


def load_official(cache: Path) -> LabelledTexts:
    """Return the official set. Raises what ``official.fetch`` and ``unpack`` raise."""
    return _texts(unpack(URL, fetch(URL, SHA256, cache)), "official", "")


def load_mirror(folder: Path) -> LabelledTexts:
    """Return the set in a folder that has the official archive or two tables.

    These are ``civil_comments_train.csv`` and ``civil_comments_test.csv``, uncompressed or compressed, with columns
    ``comment_text`` and ``toxicity`` (the share of annotators, 0 to 1). The note says how many rows there are. Raises
    InvalidDataFile for a file that is missing, cannot be read to its end, or has a toxicity outside of 0 to 1.
    """
    if (archive := find_local_copy(URL, SHA256, folder)) is not None:
        return _texts(unpack(file_name(URL), archive), "mirror", "the official archive")
    names = {part: f"civil_comments_{part}.csv" for part in ("train", "test")}
    paths = find_all_files(folder, names.values(), instead=file_name(URL))
    parts = {part: _table(paths[name], read_content(paths[name]), "toxicity") for part, name in names.items()}
    return _texts(parts, "mirror", describe_share(parts, OFFICIAL_SIZES))


def unpack(name: str, archive: bytes) -> dict[str, Part]:
    """Return comments and labels of "train" and "test" in the official archive.

    Raises InvalidDataFile for an archive without one of the ``MEMBERS``, and for a table that is not as expected.
    """
    return {
        part: _table(f"{name} ({member})", read_zip_file(name, archive, member), column)
        for part, (member, column) in MEMBERS.items()
    }


def _table(name: str | Path, data: bytes, column: str) -> Part:
    texts, shares = zip(*read_rows(name, data, ("comment_text", column)), strict=True)
    return texts, np.array([_share(name, k, text) >= THRESHOLD for k, text in enumerate(shares, 1)], dtype=np.int64)


def _share(name: str | Path, row: int, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = np.nan
    if not 0 <= value <= 1:
        raise InvalidDataFile(f"{name}: row {row} has toxicity {text!r}, expected 0 to 1")
    return value


def _texts(parts: dict[str, Part], source: DataSource, note: str) -> LabelledTexts:
    return LabelledTexts(*parts["train"], *parts["test"], CLASSES, "civil_comments", source, note)

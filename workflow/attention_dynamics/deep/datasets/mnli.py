"""MNLI (Williams, Nangia and Bowman 2018): https://cims.nyu.edu/~sbowman/multinli.

The test pairs are those of ``dev_matched``: the official test pairs have no public labels. The SHA-256 of the archive
is the one in tensorflow/datasets (url_checksums/multi_nli.txt, for this address) and in facebookresearch/ParlAI
(parlai/tasks/multinli/build.py).
"""

import json
from pathlib import Path

from attention_dynamics.deep.datasets.archives import read_zip_file
from attention_dynamics.deep.datasets.files import find_all_files, find_files
from attention_dynamics.deep.datasets.labelled_images import Classes
from attention_dynamics.deep.datasets.labelled_texts import LabelledTexts
from attention_dynamics.deep.datasets.official import fetch, file_name, find_local_copy
from attention_dynamics.deep.datasets.text_parsing import (
    describe_share,
    number_labels,
    read_content,
    read_rows,
    split_lines,
)
from attention_dynamics.types import DataSource

TITLE = "MNLI"
FOLDER = "mnli"
URL = "https://cims.nyu.edu/~sbowman/multinli/multinli_1.0.zip"
SHA256 = "049f507b9e36b1fcb756cfd5aeb3b7a0cfcb84bf023793652987f7e7e0957822"
CLASSES = ("entailment", "neutral", "contradiction")
MEMBERS = {"train": "multinli_1.0_train.jsonl", "test": "multinli_1.0_dev_matched.jsonl"}
TRAIN, TRAIN_SUBSET, TEST = "mnli_train.csv", "mnli_train_subset.csv", "mnli_dev_matched.csv"
# The label of pairs on which annotators did not agree; they are left out, as usual.
NO_LABEL = "-"
OFFICIAL_SIZES = (392_702, 9_815)
Part = tuple[tuple[tuple[str, str], ...], Classes]


def load_official(cache: Path) -> LabelledTexts:
    """Return the official set. Raises what ``official.fetch`` and ``unpack`` raise."""
    return _texts(unpack(URL, fetch(URL, SHA256, cache)), "official", "")


def load_mirror(folder: Path) -> LabelledTexts:
    """Return the set in a folder with the official archive, or else with ``mnli_dev_matched.csv`` and training pairs.

    These are in ``mnli_train.csv`` or else ``mnli_train_subset.csv``; each, uncompressed or compressed, has columns
    ``premise``, ``hypothesis`` and ``label`` (one of ``CLASSES``). The note says how many pairs there are. Raises
    InvalidDataFile for a file that is missing, cannot be read to its end, or has other labels.
    """
    if (archive := find_local_copy(URL, SHA256, folder)) is not None:
        return _texts(unpack(file_name(URL), archive), "mirror", "the official archive")
    train = TRAIN if find_files(folder, [TRAIN]) else TRAIN_SUBSET
    paths = find_all_files(folder, (train, TEST), instead=file_name(URL))
    parts = {"train": _table(paths[train]), "test": _table(paths[TEST])}
    return _texts(parts, "mirror", describe_share(parts, OFFICIAL_SIZES))


def unpack(name: str, archive: bytes) -> dict[str, Part]:
    """Return pairs and labels of "train" and "test" in the official archive, without the pairs that have no label.

    Raises InvalidDataFile for an archive without one of the ``MEMBERS``, or with an unknown label.
    """
    return {
        part: _records(f"{name} ({member})", read_zip_file(name, archive, member)) for part, member in MEMBERS.items()
    }


def _records(name: str, data: bytes) -> Part:
    records = [json.loads(line) for line in split_lines(name, data)]
    return _part(name, [(r["sentence1"], r["sentence2"], r["gold_label"]) for r in records])


def _table(path: Path) -> Part:
    rows = read_rows(path, read_content(path), ("premise", "hypothesis", "label"))
    return _part(path, [(premise, hypothesis, label) for premise, hypothesis, label in rows])


def _part(name: str | Path, rows: list[tuple[str, str, str]]) -> Part:
    labelled = [row for row in rows if row[2] != NO_LABEL]
    labels = number_labels(name, [label for *_, label in labelled], {label: k for k, label in enumerate(CLASSES)})
    return tuple((premise, hypothesis) for premise, hypothesis, _ in labelled), labels


def _texts(parts: dict[str, Part], source: DataSource, note: str) -> LabelledTexts:
    return LabelledTexts(*parts["train"], *parts["test"], CLASSES, "mnli", source, note)

"""Parsing of downloaded text files, whose size is not known beforehand. Errors name the file."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import numpy as np

from attention_dynamics.deep.datasets.files import MAX_FILE_BYTES, InvalidDataFile, read_file
from attention_dynamics.deep.datasets.labelled_images import Classes


def read_content(path: Path) -> bytes:
    """Return the content of a text file, decompressed if its name says so.

    Raises InvalidDataFile for more than ``MAX_FILE_BYTES`` bytes, and for a file whose last line has no end: it was cut
    off.
    """
    data = read_file(path, MAX_FILE_BYTES)
    if len(data) > MAX_FILE_BYTES:
        raise InvalidDataFile(f"{path}: is larger than {MAX_FILE_BYTES} bytes")
    if not data.endswith(b"\n"):
        raise InvalidDataFile(f"{path}: is empty, or its last line is incomplete")
    return data


def split_lines(name: str | Path, data: bytes) -> tuple[str, ...]:
    """Return the lines, in UTF-8, which end in a line feed and nowhere else; the last one may lack it.

    Raises InvalidDataFile, naming the file, for another encoding.
    """
    try:
        return tuple(line.decode() for line in data.removesuffix(b"\n").split(b"\n"))
    except UnicodeDecodeError as error:
        raise InvalidDataFile(f"{name}: is not UTF-8 ({error})") from None


def read_rows(name: str | Path, data: bytes, columns: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield the named columns of a table of comma-separated values in UTF-8, row after row.

    Raises InvalidDataFile, naming the file and the row, for a column that is missing, a row of another length than the
    first, which has the names, an open quote and other encodings; and for a table without rows.
    """
    reader = csv.reader(TextIOWrapper(BytesIO(data), "utf-8", newline=""), strict=True)
    count = 0
    try:
        header = next(reader, [])
        if missing := [column for column in columns if column not in header]:
            raise InvalidDataFile(f"{name}: column {missing[0]} is missing; expected {', '.join(columns)}")
        places = [header.index(column) for column in columns]
        for count, row in enumerate(reader, 1):
            if len(row) != len(header):
                raise InvalidDataFile(f"{name}: row {count} has {len(row)} columns, expected {len(header)}")
            yield tuple(row[place] for place in places)
    except csv.Error as error:
        raise InvalidDataFile(f"{name}: row {count + 1} cannot be read ({error})") from None
    except UnicodeDecodeError as error:
        raise InvalidDataFile(f"{name}: is not UTF-8 ({error})") from None
    if not count:
        raise InvalidDataFile(f"{name}: has no rows")


def number_labels(name: str | Path, labels: Sequence[str], numbers: Mapping[str, int]) -> Classes:
    """Return class numbers (N,) of labels as they are written.

    Raises InvalidDataFile, naming the file and the row, for others.
    """
    for count, label in enumerate(labels, 1):
        if label not in numbers:
            raise InvalidDataFile(f"{name}: row {count} has label {label!r}, expected {', '.join(numbers)}")
    return np.array([numbers[label] for label in labels], dtype=np.int64)


def describe_share(parts: Mapping[str, tuple[Any, Classes]], official: tuple[int, int]) -> str:
    """Return a note on how many samples the parts "train" and "test" have of how many in the official set."""
    train, test = (len(parts[part][1]) for part in ("train", "test"))
    return f"{train:,} of {official[0]:,} to train on, {test:,} of {official[1]:,} to test on"

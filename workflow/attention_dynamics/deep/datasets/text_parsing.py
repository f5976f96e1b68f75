"""Text in files that others made, the size of which is not known beforehand; refused by name like other files."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO, TextIOWrapper
from pathlib import Path

import numpy as np

from attention_dynamics.datasets.files import RefusedFile, read
from attention_dynamics.datasets.images import Classes

# More than any of the sets has: a small file that decompresses to a huge one does no harm.
LARGEST = 1 << 31


def content(path: Path) -> bytes:
    """The content of a text file, decompressed if its name says so.

    Raises RefusedFile for more than ``LARGEST`` bytes, and for a file whose last line has no end: it was cut off.
    """
    with path.open("rb") as file:
        data = read(path, file, LARGEST)
    if len(data) > LARGEST:
        raise RefusedFile(f"{path}: more bytes, expected at most {LARGEST}")
    if not data.endswith(b"\n"):
        raise RefusedFile(f"{path}: breaks off within a line, or is empty")
    return data


def lines(name: str | Path, data: bytes) -> tuple[str, ...]:
    """Lines in UTF-8, which end in a line feed and nowhere else; the last one may lack it.

    Raises RefusedFile, naming the file, for another encoding.
    """
    try:
        return tuple(line.decode() for line in data.removesuffix(b"\n").split(b"\n"))
    except UnicodeDecodeError as error:
        raise RefusedFile(f"{name}: is not UTF-8 ({error})") from None


def rows(name: str | Path, data: bytes, columns: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """The named columns of a table of comma-separated values in UTF-8, row after row.

    Raises RefusedFile, naming the file and the row, for a column that is missing, a row of another length than the
    first, which has the names, an open quote and other encodings; and for a table without rows.
    """
    reader = csv.reader(TextIOWrapper(BytesIO(data), "utf-8", newline=""), strict=True)
    count = 0
    try:
        header = next(reader, [])
        if missing := [column for column in columns if column not in header]:
            raise RefusedFile(f"{name}: column {missing[0]} is missing; expected {', '.join(columns)}")
        places = [header.index(column) for column in columns]
        for count, row in enumerate(reader, 1):
            if len(row) != len(header):
                raise RefusedFile(f"{name}: row {count} has {len(row)} columns, expected {len(header)}")
            yield tuple(row[place] for place in places)
    except csv.Error as error:
        raise RefusedFile(f"{name}: row {count + 1} cannot be read ({error})") from None
    except UnicodeDecodeError as error:
        raise RefusedFile(f"{name}: is not UTF-8 ({error})") from None
    if not count:
        raise RefusedFile(f"{name}: has no rows")


def numbered(name: str | Path, labels: Sequence[str], numbers: Mapping[str, int]) -> Classes:
    """Class numbers (N,) of labels as they are written. Raises RefusedFile, naming the file and the row, for others."""
    for count, label in enumerate(labels, 1):
        if label not in numbers:
            raise RefusedFile(f"{name}: row {count} has label {label!r}, expected {', '.join(numbers)}")
    return np.array([numbers[label] for label in labels], dtype=np.int64)


def share(train: int, test: int, official: tuple[int, int]) -> str:
    """A note: how many there are of how many that the official set has."""
    return f"{train:,} of {official[0]:,} to train on, {test:,} of {official[1]:,} to test on"

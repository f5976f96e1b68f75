"""Reading of downloaded files, archives and tables. Errors name the invalid file.

Single files and members of zip archives are read up to a limit, so that a wrong file cannot fill the memory. Files in
archives are read in memory: nothing is unpacked to disk.
"""

import csv
import gzip
import hashlib
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from io import BytesIO, TextIOWrapper
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.bounded_files import open_bounded

# Larger than any file of the data sets. Limits the memory that a wrong file can take.
MAX_FILE_BYTES = 1 << 31
OPENERS: dict[str, Any] = {".gz": gzip.open, ".xz": lzma.open}


class InvalidDataFile(RuntimeError):
    """Error for a data file that is missing or invalid. The message names the file and what was expected."""


def find_files(folder: Path, names: Iterable[str]) -> dict[str, Path]:
    """Return the paths of the named files that are in a folder, by name. A file may be compressed (.gz or .xz)."""
    paths = {name: [folder / f"{name}{ending}" for ending in ("", *OPENERS)] for name in names}
    present = {name: [path for path in choice if path.is_file()] for name, choice in paths.items()}
    return {name: choice[0] for name, choice in present.items() if choice}


def find_all_files(folder: Path, names: Iterable[str], instead: str = "") -> dict[str, Path]:
    """Return the paths of all the named files in a folder, as ``find_files`` does.

    instead: an alternative to the files, for the message. Raises InvalidDataFile, naming the first missing file.
    """
    names = list(names)
    paths = find_files(folder, names)
    if missing := [name for name in names if name not in paths]:
        expected = f"{', '.join(names)} (.gz)" + (f", or {instead}" if instead else "")
        raise InvalidDataFile(f"{folder / missing[0]}.gz: is missing; expected {expected}")
    return paths


def read_file(path: Path, size: int | None = None) -> bytes:
    """Return the bytes of a file as stored if ``size`` is None, otherwise its content, as ``read_limited`` returns it.

    Raises InvalidDataFile for a file that cannot be read, is too large, or cannot be decompressed to its end.
    """
    try:
        with open_bounded(path, MAX_FILE_BYTES) as file:
            return file.read(MAX_FILE_BYTES) if size is None else read_limited(path, file, size)
    except OSError as error:
        raise InvalidDataFile(str(error)) from None


def read_limited(name: str | Path, file: BinaryIO, size: int) -> bytes:
    """Return the content of an open file, decompressed if its name ends in .gz or .xz.

    size: expected number of bytes of the content. At most one byte more is read, so that a small file that
    decompresses to a huge one does not fill the memory; ``check_size`` then rejects it. Raises InvalidDataFile if the
    file cannot be decompressed to its end.
    """
    opener = OPENERS.get(Path(name).suffix)
    try:
        with opener(file) if opener else file as content:
            return content.read(size + 1)
    except (EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError) as error:
        raise InvalidDataFile(f"{name}: cannot be decompressed ({error}); expected a whole file") from None


def check_digest(name: str | Path, content: bytes, digest: str) -> bytes:
    """Return the content. Raises InvalidDataFile, naming the file, if the content's SHA-256 is not ``digest``."""
    if (found := sha256(content)) != digest:
        raise InvalidDataFile(f"{name}: has SHA-256 {found}, expected {digest}")
    return content


def check_size(name: str | Path, content: bytes, size: int) -> None:
    """Raise InvalidDataFile unless the content, as ``read_limited`` returns it, has ``size`` bytes."""
    if len(content) != size:
        found = f"{len(content)} bytes" if len(content) < size else "more bytes"
        raise InvalidDataFile(f"{name}: {found}, expected {size}")


def check_classes(name: str | Path, labels: NDArray[np.integer[Any]], classes: int = 10) -> None:
    """Raise InvalidDataFile unless all labels are below ``classes``."""
    if (largest := labels.max()) >= classes:
        raise InvalidDataFile(f"{name}: a label is {largest}, expected 0 to {classes - 1}")


def sha256(content: bytes) -> str:
    """Return the SHA-256 in hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def read_tar(
    name: str, archive: bytes, wanted: Callable[[PurePosixPath], bool]
) -> Iterator[tuple[PurePosixPath, bytes]]:
    """Yield path and content of the wanted files of a ``.tar.gz``, in the order of the archive.

    Raises InvalidDataFile, naming the archive, for a member that is neither file nor folder or that would be unpacked
    outside of the folder where the archive is.
    """
    with tarfile.open(fileobj=BytesIO(archive), mode="r:gz") as members:
        for member in members:
            path = _checked_path(name, member.name, plain=member.isfile() or member.isdir())
            if member.isfile() and wanted(path):
                content = members.extractfile(member)
                assert content is not None
                yield path, content.read()


def read_zip_file(name: str, archive: bytes, wanted: str) -> bytes:
    """Return the content of the file called ``wanted``, in any folder of a ``.zip``.

    Raises InvalidDataFile, naming the archive, if the file is missing, has more than ``MAX_FILE_BYTES`` bytes or cannot
    be read to its end. Also raises it for a member that would be unpacked outside of the folder where the archive is.
    """
    try:
        with zipfile.ZipFile(BytesIO(archive)) as members:
            paths = {_checked_path(name, member): member for member in members.namelist()}
            member = next((member for path, member in paths.items() if path.name == wanted), None)
            if member is None:
                raise InvalidDataFile(f"{name}: {wanted} is missing")
            with members.open(member) as file:
                content = file.read(MAX_FILE_BYTES + 1)
    except InvalidDataFile:
        raise
    # RuntimeError is for encrypted members and unknown compression, ValueError for names that cannot be decoded.
    except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, RuntimeError, ValueError) as error:
        raise InvalidDataFile(f"{name}: cannot be read as a zip archive ({error}); expected a whole file") from None
    if len(content) > MAX_FILE_BYTES:
        raise InvalidDataFile(f"{name}: {wanted} is larger than {MAX_FILE_BYTES} bytes")
    return content


def _checked_path(archive: str, member: str, *, plain: bool = True) -> PurePosixPath:
    """Return the path of a member that would be unpacked inside the archive's folder; raise InvalidDataFile for others.

    plain: whether the member is a file or a folder, not a link or a device.
    """
    path = PurePosixPath(member)
    if path.is_absolute() or ".." in path.parts or not plain:
        raise InvalidDataFile(f"{archive}: member {member} is a link or leads outside, expected files inside")
    return path


def read_content(path: Path) -> bytes:
    """Return the content of a text file, decompressed if its name ends in .gz or .xz.

    Raises InvalidDataFile for more than ``MAX_FILE_BYTES`` bytes, and for content that does not end in a line feed,
    because such a file was probably cut off.
    """
    data = read_file(path, MAX_FILE_BYTES)
    if len(data) > MAX_FILE_BYTES:
        raise InvalidDataFile(f"{path}: is larger than {MAX_FILE_BYTES} bytes")
    if not data.endswith(b"\n"):
        raise InvalidDataFile(f"{path}: is empty, or its last line is incomplete")
    return data


def split_lines(name: str | Path, data: bytes) -> tuple[str, ...]:
    """Return the lines of a text in UTF-8, split at line feeds only. The last line may lack its line feed.

    Raises InvalidDataFile, naming the file, for another encoding.
    """
    try:
        return tuple(line.decode() for line in data.removesuffix(b"\n").split(b"\n"))
    except UnicodeDecodeError as error:
        raise InvalidDataFile(f"{name}: is not UTF-8 ({error})") from None


def read_rows(name: str | Path, data: bytes, columns: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield the named columns of a table of comma-separated values in UTF-8, row after row.

    The first row has the names of the columns. Raises InvalidDataFile, naming the file, if a column is missing, if
    there are no further rows, or if the text is not UTF-8. Raises it also, naming the row, if a row has another length
    than the first or an open quote.
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


def number_labels(name: str | Path, labels: Sequence[str], numbers: Mapping[str, int]) -> NDArray[np.int64]:
    """Return the class numbers (N,) of N labels. numbers: label, as it is written in the file -> class number.

    Raises InvalidDataFile, naming the file and the row, for a label that is not in ``numbers``.
    """
    for count, label in enumerate(labels, 1):
        if label not in numbers:
            raise InvalidDataFile(f"{name}: row {count} has label {label!r}, expected {', '.join(numbers)}")
    return np.array([numbers[label] for label in labels], dtype=np.int64)


def describe_share(parts: Mapping[str, tuple[Any, NDArray[np.int64]]], official: tuple[int, int]) -> str:
    """Return a note such as "1,000 of 25,000 to train on, 500 of 25,000 to test on".

    parts: "train", "test" -> (texts, labels). official: numbers of samples in the official set, (train, test).
    """
    train, test = (len(parts[part][1]) for part in ("train", "test"))
    return f"{train:,} of {official[0]:,} to train on, {test:,} of {official[1]:,} to test on"

"""Reading of downloaded files: found by name, never read beyond their expected size, named in errors if invalid."""

import gzip
import hashlib
import lzma
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.bounded_files import open_bounded

# More than any file of the data sets, compressed or not. It limits the memory that a wrong file takes.
MAX_FILE_BYTES = 1 << 31
OPENERS: dict[str, Any] = {".gz": gzip.open, ".xz": lzma.open}


class InvalidDataFile(RuntimeError):
    """A data file is missing or invalid; the message names it and what was expected."""


def find_files(folder: Path, names: Iterable[str]) -> dict[str, Path]:
    """Return those of the named files that are in a folder, uncompressed or compressed (.gz, .xz): name -> path."""
    paths = {name: [folder / f"{name}{ending}" for ending in ("", *OPENERS)] for name in names}
    present = {name: [path for path in choice if path.is_file()] for name, choice in paths.items()}
    return {name: choice[0] for name, choice in present.items() if choice}


def find_all_files(folder: Path, names: Iterable[str], instead: str = "") -> dict[str, Path]:
    """Return the paths of the named files, as ``find_files``, all of which must be there.

    instead: an alternative to the files, for the message. Raises InvalidDataFile, naming the first that is missing.
    """
    names = list(names)
    paths = find_files(folder, names)
    if missing := [name for name in names if name not in paths]:
        expected = f"{', '.join(names)} (.gz)" + (f", or {instead}" if instead else "")
        raise InvalidDataFile(f"{folder / missing[0]}.gz: is missing; expected {expected}")
    return paths


def read_file(path: Path, size: int | None = None) -> bytes:
    """Return the bytes of a file, or with a ``size`` those of its content, as ``read_limited`` does.

    Raises InvalidDataFile for a file that cannot be read, is too large, or cannot be decompressed to its end.
    """
    try:
        with open_bounded(path, MAX_FILE_BYTES) as file:
            return file.read(MAX_FILE_BYTES) if size is None else read_limited(path, file, size)
    except OSError as error:
        raise InvalidDataFile(str(error)) from None


def read_limited(name: str | Path, file: BinaryIO, size: int) -> bytes:
    """Return the content of an open file, decompressed if its name ends in .gz or .xz.

    size: expected bytes of the content. At most one byte more is read, so that a small file that
    decompresses to a huge one does not fill the memory; ``check_size`` then rejects it. Raises InvalidDataFile where
    the file cannot be decompressed to its end.
    """
    opener = OPENERS.get(Path(name).suffix)
    try:
        with opener(file) if opener else file as content:
            return content.read(size + 1)
    except (EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError) as error:
        raise InvalidDataFile(f"{name}: cannot be decompressed ({error}); expected a whole file") from None


def check_size(name: str | Path, content: bytes, size: int) -> None:
    """Raise InvalidDataFile unless the content, as ``read_limited`` returns it, has ``size`` bytes."""
    if len(content) != size:
        found = f"{len(content)} bytes" if len(content) < size else "more bytes"
        raise InvalidDataFile(f"{name}: {found}, expected {size}")


def check_classes(name: str | Path, labels: NDArray[np.integer[Any]]) -> None:
    """Raise InvalidDataFile unless all labels are below 10."""
    if (largest := labels.max()) > 9:
        raise InvalidDataFile(f"{name}: a label is {largest}, expected 0 to 9")


def sha256(content: bytes) -> str:
    """Return the SHA-256 in hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def sha256_of_arrays(arrays: Mapping[str, NDArray[Any]]) -> str:
    """Return the SHA-256 over names, types, shapes and values of arrays, whatever their layout in memory."""
    digest = hashlib.sha256()
    for name, array in arrays.items():
        digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()

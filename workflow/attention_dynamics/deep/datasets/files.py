"""Files that others made: found by name, never read beyond the size they should have, and refused by name."""

import gzip
import hashlib
import lzma
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

OPENERS = {".gz": gzip.open, ".xz": lzma.open}


class RefusedFile(RuntimeError):
    """A data file is missing or is not what it should be; the message names it and says what was expected."""


def find(folder: Path, names: Iterable[str]) -> dict[str, Path]:
    """Those of the named files that are in a folder, as they are or compressed (.gz, .xz): name -> path."""
    paths = {name: [folder / f"{name}{ending}" for ending in ("", *OPENERS)] for name in names}
    present = {name: [path for path in choice if path.is_file()] for name, choice in paths.items()}
    return {name: choice[0] for name, choice in present.items() if choice}


def find_all(folder: Path, names: Iterable[str], instead: str = "") -> dict[str, Path]:
    """``find``, where all of the files must be there.

    instead: what else the folder could have held, for the message. Raises RefusedFile, naming the first that is not.
    """
    names = list(names)
    paths = find(folder, names)
    if missing := [name for name in names if name not in paths]:
        expected = f"{', '.join(names)} (.gz)" + (f", or {instead}" if instead else "")
        raise RefusedFile(f"{folder / missing[0]}.gz: is missing; expected {expected}")
    return paths


def read(name: str | Path, file: BinaryIO, size: int) -> bytes:
    """The content of an open file, decompressed if its name ends in .gz or .xz.

    size: bytes that the content should have. Of a longer one only the first byte too many is read, so that a
    small file that decompresses to a huge one does no harm; ``check_size`` then refuses it. Raises RefusedFile where
    the file cannot be decompressed to its end.
    """
    opener = OPENERS.get(Path(name).suffix)
    try:
        with opener(file) if opener else file as content:
            return content.read(size + 1)
    except (EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError) as error:
        raise RefusedFile(f"{name}: cannot be decompressed ({error}); expected a whole file") from None


def check_size(name: str | Path, content: bytes, size: int) -> None:
    """Raise RefusedFile unless the content, as ``read`` returns it, has ``size`` bytes."""
    if len(content) != size:
        found = f"{len(content)} bytes" if len(content) < size else "more bytes"
        raise RefusedFile(f"{name}: {found}, expected {size}")


def check_classes(name: str | Path, labels: NDArray) -> None:
    """Raise RefusedFile unless all labels are below 10."""
    if (largest := labels.max()) > 9:
        raise RefusedFile(f"{name}: a label is {largest}, expected 0 to 9")


def sha256(content: bytes) -> str:
    """SHA-256 in hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def sha256_of_arrays(arrays: Mapping[str, NDArray]) -> str:
    """SHA-256 over the names, types, shapes and values of arrays: the same however they lie in memory."""
    digest = hashlib.sha256()
    for name, array in arrays.items():
        digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(np.ascontiguousarray(array))
    return digest.hexdigest()

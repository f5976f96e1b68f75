"""Reading of files that others wrote: one that is too large, a pipe or a device is refused before it is read."""

from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from pathlib import Path
from typing import BinaryIO


@contextmanager
def open_bounded(path: Path, max_bytes: float = inf) -> Iterator[BinaryIO]:
    """Open a file to read its bytes.

    Raises OSError, in one line with the path, if the file cannot be read or has more than ``max_bytes`` bytes.
    """
    try:
        # Reading a pipe would wait, and some devices never end.
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise OSError(None, "it is a pipe or a device")
        if path.stat().st_size > max_bytes:
            raise OSError(None, f"it has more than {max_bytes:,} bytes")
        with path.open("rb") as file:
            yield file
    except OSError as error:
        raise OSError(f"{path}: cannot be read ({error.strerror})") from None


def read_bounded(path: Path, max_bytes: int) -> bytes:
    """Return the bytes of a file, at most ``max_bytes`` even if it grows meanwhile. Raises as ``open_bounded``."""
    with open_bounded(path, max_bytes) as file:
        return file.read(max_bytes)

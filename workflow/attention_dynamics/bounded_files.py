"""Reading of files that others wrote: one that is too large, a pipe or a device is refused before it is read."""

from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from pathlib import Path
from typing import BinaryIO


@contextmanager
def open_bounded(path: Path, max_bytes: float = inf) -> Iterator[BinaryIO]:
    """Open a file. Raises OSError, in one line with its path, for one that cannot be read or has more bytes."""
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
    """Return the bytes of a file. Raises OSError, in one line with its path, for one that cannot be read or has more.

    Of a file that grows meanwhile, only its beginning is read.
    """
    with open_bounded(path, max_bytes) as file:
        return file.read(max_bytes)

"""Reading of files from outside the project. Pipes, devices and files that are too large are refused unread."""

from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from pathlib import Path
from typing import BinaryIO


@contextmanager
def open_bounded(path: Path, max_bytes: float = inf) -> Iterator[BinaryIO]:
    """Open a file to read its bytes.

    Raises OSError, with the path in a one-line message, if the file cannot be read, is a pipe or a device, or has more
    than ``max_bytes`` bytes.
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
    """Return the bytes of a file. Raises OSError as ``open_bounded`` does.

    At most ``max_bytes`` are read, even if the file grows after its size was checked.
    """
    with open_bounded(path, max_bytes) as file:
        return file.read(max_bytes)

"""Storage of intermediate results: files are written atomically, and a file that was changed is rejected when read.

A file carries a seal: the path that it was written to, and the SHA-256 of this path and the content. In an ``.npz``
file the seal is the zip comment, and the content all bytes before it. In a ``.json`` file it is the last key, and the
content is hashed as JSON with sorted keys. NumPy, pandas and people can read these files without this module.
"""

import glob
import hashlib
import io
import json
import os
import platform
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from math import inf
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.bounded_files import open_bounded

SEAL_BYTES = 1024
READ_CHUNK_BYTES = 1 << 20
# Larger files are refused unread. The limit is generous: the verdicts on a figure's claims have up to 20,000 bytes.
MAX_JSON_BYTES = 100_000_000


class DamagedFile(RuntimeError):
    """Error for a file that is missing, unreadable, truncated or altered, or that was written for another path."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(f"{path}: {why}. Delete this file and run the same command again, which computes it again.")


def write(path: str | Path, data: bytes) -> None:
    """Write a file atomically: readers see either all old bytes or all new ones, even if the process is killed."""
    with _replacing(Path(path)) as file:
        file.write(data)


@contextmanager
def _replacing(path: Path) -> Iterator[BinaryIO]:
    """Open a new file that replaces ``path`` if the body of the with statement ends without an error."""
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_remains(path)
    # The name is unique to the process: a job that outlived its killed parent may be writing the same file.
    temporary = path.with_name(f".{path.name}.{platform.node()}.{os.getpid()}.tmp")
    try:
        with temporary.open("w+b") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def _remove_remains(path: Path) -> None:
    """Remove temporary files of ``path`` whose process, on this machine, no longer exists."""
    for remains in path.parent.glob(f".{glob.escape(path.name)}.{glob.escape(platform.node())}.*.tmp"):
        try:
            os.kill(int(remains.name.split(".")[-2]), 0)
        except ProcessLookupError:
            remains.unlink(missing_ok=True)
        except PermissionError:
            pass  # the process is alive and belongs to another user


def save_arrays(path: str | Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Save named arrays as ``.npz``, with a seal: the file's path, and a checksum of path and content.

    The arrays are not compressed, because compression takes seconds and hardly shrinks trajectories.
    Raises ValueError for object arrays, which would need pickle.
    """
    arrays = dict(arrays)
    if bad := [name for name, array in arrays.items() if np.asarray(array).dtype.hasobject]:
        raise ValueError(f"{path}: {bad[0]} is an array of Python objects")
    with _replacing(Path(path)) as file:
        np.savez(file, allow_pickle=False, **{name: arrays[name] for name in sorted(arrays)})
        # A zip file ends with the length of its comment, in two bytes, and the comment. Here the comment is empty at
        # first; it becomes the seal, padded to a fixed size.
        file.seek(-2, os.SEEK_END)
        file.write(SEAL_BYTES.to_bytes(2, "little"))
        seal = _seal(_sealed_name(path), file, file.tell())
        file.seek(0, os.SEEK_END)
        file.write(_padded(seal))


def load_arrays(path: str | Path) -> dict[str, NDArray[Any]]:
    """Load a sealed ``.npz``. Raises DamagedFile if it is missing, was changed or was written to another path."""
    path = Path(path)
    with _opened(path) as file:
        size = max(file.seek(0, os.SEEK_END) - SEAL_BYTES, 0)
        file.seek(size)
        seal = file.read()
        try:
            declared = json.loads(seal)
            if seal != _padded(declared):
                raise ValueError
        except (ValueError, RecursionError):
            raise DamagedFile(path, "the checksum at its end is missing or unreadable") from None
        _check_seal(path, declared, file, size)
        file.seek(0)
        with np.load(file, allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}


def save_json(path: str | Path, content: Any) -> None:
    """Save JSON content with a seal."""
    body = _canonical(content)
    write(path, _document(content, _seal(_sealed_name(path), io.BytesIO(body), len(body))))


def load_json(path: str | Path) -> Any:
    """Load sealed JSON content. Raises DamagedFile if it is missing, was changed or was written to another path."""
    path = Path(path)
    with _opened(path, MAX_JSON_BYTES) as file:
        data = file.read()
    try:
        document = json.loads(data)
        content, declared = document["content"], document["seal"]
        body, written = _canonical(content), _document(content, declared)
    except (ValueError, KeyError, TypeError, RecursionError):
        raise DamagedFile(path, "it is not a complete JSON file with a checksum") from None
    _check_seal(path, declared, io.BytesIO(body), len(body))
    if data != written:
        raise DamagedFile(path, "its bytes are not those that were written")
    return content


def _canonical(content: Any) -> bytes:
    return json.dumps(content, sort_keys=True, allow_nan=True).encode()


def _document(content: Any, seal: dict[str, str]) -> bytes:
    return json.dumps({"content": content, "seal": seal}, indent=1).encode() + b"\n"


def _padded(seal: Any) -> bytes:
    return json.dumps(seal).encode().ljust(SEAL_BYTES)


def _sealed_name(path: str | Path) -> str:
    """Return the path to write into a seal. Leading folders are dropped until the seal fits into SEAL_BYTES."""
    parts = Path(path).parts
    while len(parts) > 1 and len(_padded({"path": Path(*parts).as_posix(), "sha256": "0" * 64})) > SEAL_BYTES:
        parts = parts[1:]
    return Path(*parts).as_posix()


def _seal(name: str, file: BinaryIO, size: int) -> dict[str, str]:
    """Return the seal of a path and of the first ``size`` bytes of an open file.

    The file is read in pieces, because it may be larger than memory.
    """
    digest = hashlib.sha256(name.encode() + b"\0")
    file.seek(0)
    while size > 0 and (piece := file.read(min(size, READ_CHUNK_BYTES))):
        digest.update(piece)
        size -= len(piece)
    return {"path": name, "sha256": digest.hexdigest()}


@contextmanager
def _opened(path: Path, max_bytes: float = inf) -> Iterator[BinaryIO]:
    try:
        with open_bounded(path, max_bytes) as file:
            yield file
    except OSError as error:
        raise DamagedFile(path, str(error).removeprefix(f"{path}: ")) from None


def _check_seal(path: Path, declared: Any, file: BinaryIO, size: int) -> None:
    if not isinstance(declared, dict) or not isinstance(declared.get("path"), str):
        raise DamagedFile(path, "its checksum is unreadable")
    if declared != _seal(declared["path"], file, size):
        raise DamagedFile(path, "its bytes are not those that were written")
    # Only the last parts are compared, so that a folder of results can be moved as a whole.
    written = [part for part in Path(os.path.normpath(declared["path"])).parts if part != os.pardir]
    if Path(os.path.abspath(path)).parts[-len(written) :] != tuple(written):
        raise DamagedFile(path, f"it was written as {declared['path']} and does not belong here")

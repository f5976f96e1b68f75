"""Every intermediate in and out: written whole or not at all, and refused unless it is exactly what was written.

An ``.npz`` file carries a seal in its zip comment: the path it was written to and the SHA-256 of every other byte.
A ``.json`` file carries the same in its last key. Numpy, pandas and people read both as they are.
"""

import glob
import hashlib
import io
import json
import os
import platform
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

SEAL_SIZE = 1024


class DamagedFile(RuntimeError):
    """A file is missing, truncated, altered, or not the one that belongs at its place."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(
            f"{path}: {why}. Delete this file and run the same command again: what is needed is computed anew."
        )


def write(path: str | Path, data: bytes) -> None:
    """Write a file atomically: readers and later runs see the old bytes or all the new ones."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_remains(path)
    # The name is unique to the process: a job that outlived its killed parent may be writing the same file.
    temporary = path.with_name(f".{path.name}.{platform.node()}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def _remove_remains(path: Path) -> None:
    """Remove what processes of this machine that were killed while writing this file left beside it."""
    for remains in path.parent.glob(f".{glob.escape(path.name)}.{glob.escape(platform.node())}.*.tmp"):
        try:
            os.kill(int(remains.name.split(".")[-2]), 0)
        except ProcessLookupError:
            remains.unlink(missing_ok=True)
        except PermissionError:
            pass  # it is alive, and somebody else's


def save_arrays(path: str | Path, arrays: dict[str, NDArray]) -> None:
    """Save named arrays as a sealed ``.npz``. Raises ValueError for object arrays, which would need pickle."""
    if bad := [name for name, array in arrays.items() if np.asarray(array).dtype.hasobject]:
        raise ValueError(f"{path}: {bad[0]} is an array of Python objects")
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **{name: arrays[name] for name in sorted(arrays)})
    # The zip format ends with the length of its comment; the seal goes there, padded to a fixed size.
    body = buffer.getvalue()[:-2] + SEAL_SIZE.to_bytes(2, "little")
    write(path, body + json.dumps(_seal(path, body)).encode().ljust(SEAL_SIZE))


def load_arrays(path: str | Path) -> dict[str, NDArray]:
    """Load a sealed ``.npz``. Raises DamagedFile, naming the file, unless every byte is as written, and here."""
    path = Path(path)
    data = _read(path)
    body, seal = data[:-SEAL_SIZE], data[-SEAL_SIZE:]
    try:
        declared = json.loads(seal)
        if seal != json.dumps(declared).encode().ljust(SEAL_SIZE):
            raise ValueError
    except ValueError:
        raise DamagedFile(path, "the seal at its end is missing or unreadable") from None
    _check_seal(path, declared, body)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = [name.removesuffix(".npy") for name in archive.namelist()]
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        return {name: arrays[name] for name in names}


def save_json(path: str | Path, content: Any) -> None:
    """Save JSON content with a seal."""
    body = _canonical(content)
    write(path, _document(content, _seal(path, body)))


def load_json(path: str | Path) -> Any:
    """Load sealed JSON content. Raises DamagedFile, naming the file, unless every byte is as written, and here."""
    path = Path(path)
    data = _read(path)
    try:
        document = json.loads(data)
        content, declared = document["content"], document["seal"]
    except (ValueError, KeyError, TypeError):
        raise DamagedFile(path, "it is not a complete sealed JSON file") from None
    _check_seal(path, declared, _canonical(content))
    if data != _document(content, declared):
        raise DamagedFile(path, "its bytes are not those that were written")
    return content


def _canonical(content: Any) -> bytes:
    return json.dumps(content, sort_keys=True, allow_nan=True).encode()


def _document(content: Any, seal: dict[str, str]) -> bytes:
    return json.dumps({"content": content, "seal": seal}, indent=1).encode() + b"\n"


def _seal(path: str | Path, body: bytes) -> dict[str, str]:
    name = Path(path).as_posix()
    return {"path": name, "sha256": hashlib.sha256(name.encode() + b"\0" + body).hexdigest()}


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise DamagedFile(path, f"it cannot be read ({error.strerror})") from None


def _check_seal(path: Path, declared: Any, body: bytes) -> None:
    if not isinstance(declared, dict) or not isinstance(declared.get("path"), str):
        raise DamagedFile(path, "the seal is unreadable")
    if declared != _seal(declared["path"], body):
        raise DamagedFile(path, "its bytes are not those that were written")
    # Compared from the end, so that a results folder may be read from elsewhere, or moved as a whole.
    written = Path(declared["path"]).parts
    if Path(os.path.abspath(path)).parts[-len(written) :] != written:
        raise DamagedFile(path, f"it was written as {declared['path']} and does not belong here")

"""SHA-256 digests of files. Jobs store digests of the figures that they draw; the manifest detects later changes."""

import hashlib
from collections.abc import Iterable
from pathlib import Path


def hash_file(file: str | Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal digits."""
    with open(file, "rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def hash_files(files: Iterable[str]) -> dict[str, str]:
    """Return a dict: path of a file -> its SHA-256 in hexadecimal digits."""
    return {file: hash_file(file) for file in files}

"""SHA-256 digests of files. Jobs store those of figures that they draw, so that the manifest notices later changes."""

import hashlib
from collections.abc import Iterable
from pathlib import Path


def hash_file(file: str | Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal digits."""
    with open(file, "rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def hash_files(files: Iterable[str]) -> dict[str, str]:
    """Return the SHA-256 of every file, by its path."""
    return {file: hash_file(file) for file in files}

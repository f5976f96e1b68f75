"""SHA-256 of files: those of figures are stored when they are drawn, so that the manifest notices later changes."""

import hashlib
from collections.abc import Iterable
from pathlib import Path


def sha256(file: str | Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal digits."""
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()


def digests(files: Iterable[str]) -> dict[str, str]:
    """Return the SHA-256 of every file, by its path."""
    return {file: sha256(file) for file in files}

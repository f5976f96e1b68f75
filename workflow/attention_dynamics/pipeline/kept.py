"""What takes long to read from a file, kept from one start to the next: parsing took an eighth of short jobs.

By the SHA-256 of the file's bytes and of all that it was read with, so that nothing kept can be out of date.
"""

import hashlib
import json
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

# Below the working directory, in Snakemake's own folder.
FOLDER = Path(".snakemake") / "attention_dynamics"
# In JSON's words and signs.
LONGEST = 1_000_000


class Kept:
    """What was read from files, as JSON: jobs look it up, Snakemake's process also saves it.

    read_with: versions and source of what reads the files; that of Python is always among them.
    """

    def __init__(self, name: str, *read_with: str | bytes) -> None:
        self._file = FOLDER / f"{name}.json"
        self._read_with = repr((sys.version, Path(__file__).read_bytes(), *read_with)).encode()
        self.forget()

    def forget(self) -> None:
        """Start anew, with what is saved."""
        self._saved: dict[str, str] | None = None
        self._used: dict[str, str] = {}

    def get(self, content: bytes, read: Callable[[], Any]) -> Any:
        """What ``read`` returns, from its last time with this content, if possible; never an object given before."""
        if self._saved is None:
            self._saved = self._load()
        key = hashlib.sha256(self._read_with + content).hexdigest()
        text = self._used.get(key) or self._saved.get(key)
        if text is None:
            value = read()
            text = _as_json(value)
            if text is None:
                return value
        self._used[key] = text
        return json.loads(text)

    def save(self) -> None:
        """Save what was asked for since the start, and nothing else; not where nothing can be written."""
        if self._used == self._saved:
            return
        new = self._file.with_suffix(f".{os.getpid()}.tmp")
        with suppress(OSError):
            FOLDER.mkdir(parents=True, exist_ok=True)
            try:
                new.write_text(json.dumps(self._used), encoding="utf-8")
                # Put in place whole: jobs may be reading.
                os.replace(new, self._file)
            finally:
                new.unlink(missing_ok=True)

    def _load(self) -> dict[str, str]:
        try:
            saved = json.loads(self._file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        whole = isinstance(saved, dict) and all(isinstance(text, str) for text in saved.values())
        return saved if whole else {}


def _as_json(value: Any) -> str | None:
    """A value as JSON; None for what JSON cannot hold, and for what is too long when it is written out."""
    with suppress(TypeError, ValueError, RecursionError):
        # A few lines of YAML whose aliases name each other stand for any number of values.
        text = "".join(islice(json.JSONEncoder().iterencode(value), LONGEST))
        if json.loads(text) == value:
            return text
    return None

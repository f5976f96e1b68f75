"""What takes long to make from files, kept from one start to the next.

By the SHA-256 of what it is made from, so that it is not out of date.
"""

import hashlib
import json
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

# Below the working directory, in Snakemake's own folder.
FOLDER = Path(".snakemake") / "attention_dynamics"


def key(*made_from: object) -> str:
    """A name for what is made from these, by their printed form, with this Python and this module."""
    return hashlib.sha256(repr((sys.version, Path(__file__).read_bytes(), *made_from)).encode()).hexdigest()


def load(name: str) -> dict[str, Any] | None:
    """What is saved under a name, or None."""
    with suppress(OSError, ValueError):
        saved = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
        return saved if isinstance(saved, dict) else None


def save(name: str, value: dict[str, Any]) -> None:
    """Save a value that JSON can hold; not where nothing can be written."""
    file = FOLDER / f"{name}.json"
    new = file.with_suffix(f".{os.getpid()}.tmp")
    with suppress(OSError):
        FOLDER.mkdir(parents=True, exist_ok=True)
        try:
            new.write_text(json.dumps(value), encoding="utf-8")
            # Put in place whole: jobs may be reading.
            os.replace(new, file)
        finally:
            new.unlink(missing_ok=True)


class Kept:
    """Many values in one file: jobs look them up, Snakemake's process also saves them.

    made_with: versions and source of what makes the values.
    """

    def __init__(self, name: str, *made_with: object) -> None:
        self._name, self._made_with = name, made_with
        self.forget()

    def forget(self) -> None:
        """Start anew, with what is saved."""
        self._saved: dict[str, Any] | None = None
        self._used: dict[str, Any] = {}

    def get(self, content: bytes, make: Callable[[], Any]) -> Any:
        """What ``make`` returns, from its last time with this content, if possible. Nobody may change it."""
        if self._saved is None:
            self._saved = load(self._name) or {}
        name = key(content, *self._made_with)
        if name not in self._used:
            self._used[name] = self._saved[name] if name in self._saved else make()
        return self._used[name]

    def save(self) -> None:
        """Save what was asked for since the start, and nothing else."""
        if self._used != self._saved:
            save(self._name, self._used)
            self._saved = dict(self._used)

"""What takes long to make from files, kept from one start to the next.

By the SHA-256 of all that it is made from, so that nothing kept can be out of date.
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


class Kept:
    """Values that JSON can hold, by what they are made from: jobs look them up, Snakemake's process also saves them.

    made_with: versions and source of what makes the values; that of Python is always among them.
    """

    def __init__(self, name: str, *made_with: str | bytes) -> None:
        self._file = FOLDER / f"{name}.json"
        self._made_with = repr((sys.version, Path(__file__).read_bytes(), *made_with)).encode()
        self.forget()

    def forget(self) -> None:
        """Start anew, with what is saved."""
        self._saved: dict[str, Any] | None = None
        self._used: dict[str, Any] = {}

    def get(self, content: bytes, make: Callable[[], Any]) -> Any:
        """What ``make`` returns, from its last time with this content, if possible. Nobody may change it."""
        if self._saved is None:
            self._saved = self._load()
        key = hashlib.sha256(self._made_with + content).hexdigest()
        if key not in self._used:
            self._used[key] = self._saved[key] if key in self._saved else make()
        return self._used[key]

    def save(self) -> bool:
        """Save what was asked for since the start, and nothing else; not where nothing can be written.

        Returns whether there was anything new.
        """
        if self._used == self._saved:
            return False
        new = self._file.with_suffix(f".{os.getpid()}.tmp")
        with suppress(OSError):
            FOLDER.mkdir(parents=True, exist_ok=True)
            try:
                new.write_text(json.dumps(self._used), encoding="utf-8")
                # Put in place whole: jobs may be reading.
                os.replace(new, self._file)
            finally:
                new.unlink(missing_ok=True)
        return True

    def _load(self) -> dict[str, Any]:
        try:
            saved = json.loads(self._file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return saved if isinstance(saved, dict) else {}

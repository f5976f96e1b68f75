"""Errors that the user can correct: those in the configuration, and how a command ends with a single line."""

from collections.abc import Iterator
from contextlib import contextmanager

from attention_dynamics.store import DamagedFile


class ConfigError(Exception):
    """An error in the configuration, in one line: file, key, what is wrong and what is allowed."""

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.split()))


@contextmanager
def exit_in_one_line() -> Iterator[None]:
    """Exit with a message of one line if the body raises an error that the user can correct."""
    try:
        yield
    except (ConfigError, DamagedFile, ImportError) as error:
        raise SystemExit(" ".join(str(error).split())) from None
    except OSError as error:
        raise SystemExit(f"{error.filename}: {error.strerror}" if error.filename else str(error)) from None

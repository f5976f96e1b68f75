"""Errors in the configuration, and a context manager that exits with a one-line message on errors users can correct."""

from collections.abc import Iterator
from contextlib import contextmanager

from attention_dynamics.store import DamagedFile


class ConfigError(Exception):
    """Error in the configuration. The message is one line: file, key, what is wrong and what is allowed."""

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.split()))


@contextmanager
def exit_in_one_line() -> Iterator[None]:
    """Exit with a one-line message if the body raises ConfigError, DamagedFile, ImportError or OSError."""
    try:
        yield
    except (ConfigError, DamagedFile, ImportError) as error:
        raise SystemExit(" ".join(str(error).split())) from None
    except OSError as error:
        raise SystemExit(f"{error.filename}: {error.strerror}" if error.filename else str(error)) from None

"""Errors in the configuration, which the user can correct."""


class ConfigError(Exception):
    """An error in the configuration, in one line: file, key, what is wrong and what is allowed."""

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.split()))

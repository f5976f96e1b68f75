"""Errors that are the user's to mend."""


class ConfigError(Exception):
    """One line: the file, the key in it, what is wrong and what is allowed."""

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.split()))

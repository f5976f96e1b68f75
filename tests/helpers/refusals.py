"""Refusals at every door: one line that names the place of the mistake."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from attention_dynamics.config.errors import ConfigError


def refusal(call: Callable[..., Any], *arguments: Any, error: type[Exception] = ConfigError) -> str:
    """Return the message with which a call refuses its arguments, which must be one line."""
    with pytest.raises(error) as caught:
        call(*arguments)
    (line,) = str(caught.value).splitlines()
    return line


def assert_refused(refusals: Iterable[tuple[Callable[[], Any], str]], error: type[Exception] = ValueError) -> None:
    """Assert that every call ends with an error. refusals: calls, and patterns of their messages."""
    for call, message in refusals:
        with pytest.raises(error, match=message):
            call()

"""Refusals at every door: one line that names the place of the mistake."""

from collections.abc import Callable
from typing import Any

import pytest

from attention_dynamics.config.errors import ConfigError


def refusal(call: Callable[..., Any], *arguments: Any, error: type[Exception] = ConfigError) -> str:
    """Return the message with which a call refuses its arguments, which must be one line."""
    with pytest.raises(error) as caught:
        call(*arguments)
    (line,) = str(caught.value).splitlines()
    return line

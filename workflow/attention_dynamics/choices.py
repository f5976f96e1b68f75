"""Texts of error messages about a wrong choice."""

import difflib
from collections.abc import Iterable
from reprlib import Repr
from typing import Any

_short = Repr()
_short.maxlevel, _short.maxlist, _short.maxdict = 3, 4, 4
_short.maxstring = _short.maxother = _short.maxlong = 80


def format_value(value: Any) -> str:
    """Return the ``repr`` of a value, shortened if it is long."""
    return _short.repr(value)


def format_choices(name: Any, allowed: Iterable[Any]) -> str:
    """Return "one of a, b (did you mean 'a'?)" for allowed values a and b; the hint only if one resembles ``name``."""
    options = [str(option) for option in allowed]
    close = difflib.get_close_matches(name, options, 1) if isinstance(name, str) and name not in options else []
    hint = f" (did you mean {close[0]!r}?)" if close else ""
    return f"one of {', '.join(options) or '(there are none)'}{hint}"


def format_wrong_choice(name: Any, allowed: Iterable[Any]) -> str:
    """Return a sentence such as "'x' is not one of a, b (did you mean 'a'?)"."""
    return f"{format_value(name)} is not {format_choices(name, allowed)}"

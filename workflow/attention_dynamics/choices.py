"""How messages name a wrong choice and what is allowed."""

import difflib
from collections.abc import Iterable
from reprlib import Repr
from typing import Any

_short = Repr()
_short.maxlevel = 3
_short.maxstring = _short.maxother = _short.maxlong = 80


def show(value: Any) -> str:
    """The value as Python writes it, with long ones cut short."""
    return _short.repr(value)


def one_of(name: Any, allowed: Iterable[Any]) -> str:
    """Return what ``name`` should have been: one of a, b (did you mean 'a'?)."""
    options = [str(option) for option in allowed]
    close = difflib.get_close_matches(name, options, 1) if isinstance(name, str) and name not in options else []
    hint = f" (did you mean {close[0]!r}?)" if close else ""
    return f"one of {', '.join(options) or '(there are none)'}{hint}"


def not_one_of(name: Any, allowed: Iterable[Any]) -> str:
    """'x' is not one of a, b (did you mean 'a'?)."""
    return f"{show(name)} is not {one_of(name, allowed)}"

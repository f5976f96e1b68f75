"""Validation errors as one line that a person can act on."""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic import ValidationError


def not_one_of(name: Any, allowed: Iterable[Any]) -> str:
    """'x' is not one of a, b (did you mean a?)."""
    options = [str(option) for option in allowed]
    close = difflib.get_close_matches(str(name), options, 1)
    hint = f" (did you mean {close[0]!r}?)" if close else ""
    return f"{name!r} is not one of {', '.join(options)}{hint}"


def first_error(error: ValidationError, raw: Any) -> str:
    """Where in ``raw`` the first error is, and what it is."""
    # Where a union of types is tried, the branch that got deepest is the one that was meant.
    details = max(error.errors(include_url=False), key=lambda e: len(_path(e["loc"], raw)))
    path = _path(details["loc"], raw)
    where = ".".join(str(part) for part in path)
    return f"{where}: {_what(details, path)}" if where else _what(details, path)


def _path(location: Sequence[Any], raw: Any) -> list[Any]:
    """The location without the names of union members that pydantic puts into it."""
    path, here = [], raw
    for k, part in enumerate(location):
        if isinstance(here, Mapping) and isinstance(part, str):
            known = part in here
            if known or (k == len(location) - 1 and not _is_member(part, here)):
                path.append(part)
                here = here.get(part)
        elif isinstance(here, Sequence) and not isinstance(here, str) and isinstance(part, int) and part < len(here):
            path.append(part)
            here = here[part]
    return path


def _is_member(part: str, here: Mapping) -> bool:
    return part in (here.get("kind"), here.get("statistic"))


def _what(details: Mapping[str, Any], path: Sequence[Any]) -> str:
    kind, context, given = details["type"], details.get("ctx", {}), details.get("input")
    match kind:
        case "extra_forbidden":
            return f"unknown key {path[-1]!r}"
        case "missing":
            return "this key is required"
        case "literal_error":
            return not_one_of(
                given, [o.strip().strip("'") for o in context["expected"].replace(" or ", ", ").split(",")]
            )
        case "union_tag_invalid":
            tags = [tag.strip().strip("'") for tag in context["expected_tags"].split(",")]
            return f"{context['discriminator'].strip(chr(39))}: {not_one_of(context['tag'], tags)}"
        case "union_tag_not_found":
            return f"needs the key {context['discriminator']}"
        case "string_pattern_mismatch":
            return f"{given!r} must be lower-case letters, digits and underscores, starting with a letter"
        case "value_error":
            return str(context["error"])
    return f"{details['msg'].replace('Input should', 'should')}, got {given!r}"

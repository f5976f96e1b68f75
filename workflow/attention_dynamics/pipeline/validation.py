"""Validation errors as one line that a person can act on."""

from collections.abc import Iterator, Mapping, Sequence
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, Tag, ValidationError

from attention_dynamics.pipeline.errors import not_one_of, one_of, show

MAPPING = "a mapping of keys to values"
# What is wanted, where pydantic's own words need help; the others start with "Input should be".
WANTED = {
    "dict_type": MAPPING,
    "model_type": MAPPING,
    "model_attributes_type": MAPPING,
    "invalid_key": "text",
    "string_type": "text",
    "string_too_short": "text of at least {min_length} character",
    "too_short": "of length {min_length} or more",
    "too_long": "of length {max_length} or less",
}


def first_error(error: ValidationError, model: type[BaseModel], raw: Any) -> str:
    """Where in ``raw`` the first error is, and what it is.

    model: what ``raw`` was checked against.
    """
    # A key that is missing is often there, misspelt: the unknown key says more.
    errors = sorted(error.errors(include_url=False), key=lambda details: details["type"] == "missing")
    found = [(_path(details, raw), details) for details in errors]
    first = found[0][0]
    # Where a union of types is tried, the branch that got deepest is the one that was meant.
    deepest = max((path for path, _ in found if path[: len(first)] == first), key=len)
    here = [details for path, details in found if path == deepest]
    what = _what([details for details in here if details["input"] is here[0]["input"]], model)
    return ": ".join([*filter(None, [".".join(map(str, deepest))]), what])


def _path(details: Mapping[str, Any], raw: Any) -> list[Any]:
    """The error's location without the names of union members that pydantic puts into it."""
    path, here = [], raw
    for part in details["loc"]:
        if (isinstance(here, Mapping) and part in here) or (isinstance(here, list) and isinstance(part, int)):
            path.append(part)
            here = here[part]
    match details["type"]:
        case "missing":
            path.append(details["loc"][-1])
        case "union_tag_invalid" | "union_tag_not_found":
            path.append(_discriminator(details))
    return path


def _what(errors: Sequence[Mapping[str, Any]], model: type[BaseModel]) -> str:
    """What is wrong in one place: one error, or one for each type that would have been right."""
    first, given = errors[0], errors[0]["input"]
    match first["type"]:
        case "missing" | "union_tag_not_found":
            return "this key is required"
        case "extra_forbidden":
            *location, key = first["loc"]
            known = [name for block in _blocks(model, location) for name in block.model_fields]
            return f"unknown key: {not_one_of(key, known)}"
        case "value_error":
            return str(first["ctx"]["error"])
        case "union_tag_invalid":
            given = given[_discriminator(first)]
    return f"{show(given)} is not {' or '.join(dict.fromkeys(_wanted(details, given) for details in errors))}"


def _wanted(details: Mapping[str, Any], given: Any) -> str:
    kind, context = details["type"], details.get("ctx", {})
    match kind:
        case "literal_error":
            return one_of(given, _listed(context["expected"].replace(" or ", ", ")))
        case "union_tag_invalid":
            return one_of(given, _listed(context["expected_tags"]))
        case "string_pattern_mismatch":
            case = "" if "A-Z" in context["pattern"] else "lower-case "
            return f"a name ({case}letters, digits and underscores, starting with a letter)"
    return WANTED[kind].format(**context) if kind in WANTED else details["msg"].removeprefix("Input should be ")


def _listed(text: str) -> list[str]:
    return [option.strip().strip("'") for option in text.split(",")]


def _discriminator(details: Mapping[str, Any]) -> str:
    return details["ctx"]["discriminator"].strip("'")


def _blocks(kind: Any, location: Sequence[Any]) -> Iterator[type[BaseModel]]:
    """The models that a location, as pydantic reports it, leads to in a type."""
    origin, arguments = get_origin(kind), get_args(kind)
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        if not location:
            yield kind
        elif location[0] in kind.model_fields:
            yield from _blocks(kind.model_fields[location[0]].annotation, location[1:])
    elif origin in (dict, list):
        yield from _blocks(arguments[-1], location[1:])
    elif origin is Annotated:
        tags = [data.tag for data in kind.__metadata__ if isinstance(data, Tag)]
        if tags == location[: len(tags)]:
            yield from _blocks(arguments[0], location[len(tags) :])
    elif origin in (Union, UnionType):
        for member in arguments:
            yield from _blocks(member, location)

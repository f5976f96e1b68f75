"""Validation of blocks of a configuration, with one-line errors that tell a user what to correct."""

import re
from collections.abc import Iterator, Mapping, Sequence
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, RootModel, Tag, ValidationError
from pydantic_core import PydanticCustomError

from attention_dynamics.choices import format_choices, format_value, format_wrong_choice
from attention_dynamics.config.errors import ConfigError
from attention_dynamics.config.schema import Plot
from attention_dynamics.registry import Component, find
from attention_dynamics.types import MAX_NAME_LENGTH

MAPPING = "a mapping of keys to values"
# Texts in place of unclear messages of pydantic, by type of error. Pydantic's other messages start with "Input should
# be", which is removed.
EXPECTED_INPUT = {
    "dict_type": MAPPING,
    "model_type": MAPPING,
    "model_attributes_type": MAPPING,
    "invalid_key": "text",
    "string_type": "text",
    "string_too_short": "text of at least {min_length} character",
    "list_type": "a valid list",
    "tuple_type": "a valid list",
    "too_short": "of length {min_length} or more",
    "too_long": "of length {max_length} or less",
}


def validate(model: type[BaseModel], raw: Mapping[str, Any], where: str, context: Any = None) -> Any:
    """Return the validated model. Raises ConfigError for the first error, and for a failed import of a component.

    where: the beginning of messages. context: for a file of a paper, the names of the paper and of the file.
    """
    try:
        return model.model_validate(raw, context=context)
    except ValidationError as error:
        raise ConfigError(f"{where}: {first_error(error, model, raw, context)}") from None
    except ImportError as error:
        raise ConfigError(str(error)) from None


def first_error(error: ValidationError, model: type[BaseModel], raw: Any, context: Any = None) -> str:
    """Return "<location>: <what is wrong>" for the first error in ``raw``.

    error: raised when ``raw`` was validated with this model and context.
    """
    # Missing keys come last: a key that seems to be missing is often misspelt, and then also reported as unknown.
    errors = sorted(error.errors(include_url=False), key=lambda details: details["type"] == "missing")
    found = [(_path(details, raw), details) for details in errors]
    first = found[0][0]
    # If several types are allowed, pydantic reports errors for each. The deepest error most likely has the right type.
    deepest = max((path for path, _ in found if path[: len(first)] == first), key=len)
    here = [details for path, details in found if path == deepest]
    what = _describe([details for details in here if details["input"] is here[0]["input"]], model, raw, context)
    # All keys that a block lacks are reported at once, so that the user need not find them one by one.
    missing = [str(path[-1]) for path, details in found if details["type"] == "missing" and path[:-1] == deepest[:-1]]
    if here[0]["type"] == "missing" and len(missing) > 1:
        what += f", and so {'is' if len(missing) == 2 else 'are'} {', '.join(missing[1:])}"
    return ": ".join([*filter(None, [".".join(map(str, deepest))]), what])


def _path(details: Any, raw: Any) -> list[Any]:
    """Return the location of an error in the file, without the parts that pydantic adds."""
    path, here = [], raw
    for part in details["loc"]:
        if (isinstance(here, Mapping) and part in here) or (isinstance(here, list) and isinstance(part, int)):
            path.append(part)
            here = here[part]
    match details["type"]:
        case "missing":
            path.append(details["loc"][-1])
        case "missing_kind":
            path.append("kind")
        case "unknown_kind" if isinstance(here, Mapping) and "kind" in here:
            path.append("kind")
        case "union_tag_invalid" | "union_tag_not_found":
            path.append(_discriminator(details))
        case "value_error" if isinstance(here, Mapping):
            path += _split_message(details)[0]
    return path


def _split_message(details: Any) -> tuple[list[str], str]:
    """Return the keys at the beginning of a message such as "start.p: needs ...", and the rest of it."""
    message = str(details["ctx"]["error"])
    keys = re.match(r"([A-Za-z]\w*(?:\.\w+)*): ", message)
    return (keys[1].split("."), message[keys.end() :]) if keys else ([], message)


def _describe(errors: Sequence[Any], model: type[BaseModel], raw: Any, context: Any) -> str:
    """Return what is wrong at one location. errors: pydantic's errors there, one for each type that is allowed."""
    first, given = errors[0], errors[0]["input"]
    match first["type"]:
        case "missing" | "missing_kind" | "union_tag_not_found":
            return "this key is required"
        case "extra_forbidden":
            *location, key = first["loc"]
            known = [name for names in _known_keys(model, location, raw, context) for name in names]
            return f"unknown key: {format_wrong_choice(key, dict.fromkeys(known))}"
        case "value_error":
            return _split_message(first)[1] if isinstance(given, Mapping | BaseModel) else str(first["ctx"]["error"])
        case "unknown_kind":
            return format_wrong_choice(first["ctx"]["given"], first["ctx"]["allowed"])
        case "union_tag_invalid":
            given = given[_discriminator(first)]
    expected = dict.fromkeys(_describe_expected(details, given) for details in errors)
    return f"{format_value(given)} is not {' or '.join(expected)}"


def _describe_expected(details: Mapping[str, Any], given: Any) -> str:
    kind, context = details["type"], details.get("ctx", {})
    match kind:
        case "literal_error":
            return format_choices(given, _split_options(context["expected"].replace(" or ", ", ")))
        case "union_tag_invalid":
            return format_choices(given, _split_options(context["expected_tags"]))
        case "string_pattern_mismatch":
            case = "" if "A-Z" in context["pattern"] else "lower-case "
            return f"a name (at most {MAX_NAME_LENGTH} {case}letters, digits and underscores, starting with a letter)"
        case "less_than_equal":
            return f"less than or equal to {context['le']:g}"
    return (
        EXPECTED_INPUT[kind].format(**context)
        if kind in EXPECTED_INPUT
        else details["msg"].removeprefix("Input should be ")
    )


def _split_options(text: str) -> list[str]:
    return [option.strip().strip("'") for option in text.split(",")]


def _discriminator(details: Mapping[str, Any]) -> str:
    return str(details["ctx"]["discriminator"]).strip("'")


def _known_keys(model: Any, location: Sequence[Any], raw: Any, context: Any) -> Iterator[list[str]]:
    """Yield a list of keys for each model that is allowed at a location within ``model``.

    location: as pydantic reports it. raw: the content that ``model`` validates, None if the file has none. context: see
    ``first_error``.
    """
    origin, arguments = get_origin(model), get_args(model)
    if isinstance(model, type) and issubclass(model, BaseModel) and not issubclass(model, RootModel):
        if issubclass(model, Component) and not model.kind:
            try:
                model = find(model, raw["kind"] if isinstance(raw, Mapping) else raw)
            except (PydanticCustomError, KeyError):
                return
        split, of_plot = getattr(model, "SPLIT", None), issubclass(model, Plot)
        if of_plot and isinstance(raw, Mapping):
            _, model = model.resolve(raw, context)
        if not location:
            kind = ["kind"] if of_plot or issubclass(model, Component) else []
            composed = getattr(model, "COMPOSED", ())
            yield [*kind, *(name for name in model.model_fields if name != split), *composed]
        elif location[0] == split:
            # The keys of this field are on the same level as the model's own.
            for names in _known_keys(model.model_fields[split].annotation, location[1:], raw, context):
                yield names if location[1:] else [*names, *(name for name in model.model_fields if name != split)]
        elif location[0] in model.model_fields:
            inner = raw.get(location[0]) if isinstance(raw, Mapping) else None
            yield from _known_keys(model.model_fields[location[0]].annotation, location[1:], inner, context)
    elif origin in (dict, list, tuple) and location:
        try:
            inner = raw[location[0]]
        except (KeyError, IndexError, TypeError):
            inner = None
        if origin is dict and isinstance(inner, Mapping):
            # The kind of a measure is its key.
            inner = {"kind": location[0], **inner}
        # ``tuple[T, ...]`` and ``list[T]`` name T first, ``dict[K, V]`` names V last.
        yield from _known_keys(arguments[-1 if origin is dict else 0], location[1:], inner, context)
    elif origin is Annotated:
        tags = [data.tag for data in model.__metadata__ if isinstance(data, Tag)]
        if tags == location[: len(tags)]:
            yield from _known_keys(arguments[0], location[len(tags) :], raw, context)
    elif origin in (Union, UnionType):
        for member in arguments:
            yield from _known_keys(member, location, raw, context)

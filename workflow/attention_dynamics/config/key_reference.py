"""Page of the documentation that lists all keys of the configuration, generated from the JSON schema."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from attention_dynamics.config.json_schema import classes, schema
from attention_dynamics.config.schema import BASES
from attention_dynamics.markdown_table import markdown_table
from attention_dynamics.types import MAX_COUNT, MAX_NUMBER, MAX_SEED

HEAD = f"""# Keys of the configuration

Generated from the classes that the keys belong to.
A block with `kind` takes the keys of that kind; a kind alone (`loss: logistic`) is a block without further keys.
The keys of a plot are the keyword-only parameters of the function that `plot.kind` names, in
`workflow/attention_dynamics/papers/`. Integers are at most {MAX_COUNT:g}, other numbers at most {MAX_NUMBER:g} in size.
"""
BLOCKS = {"problems": "A problem", "runs": "A run", "figures": "A figure"}
BOUNDS = {"minimum": ">=", "exclusiveMinimum": ">", "maximum": "<=", "exclusiveMaximum": "<"}
# Bounds of integers, other numbers and seeds. The tables leave out these bounds; HEAD states the first two.
EVERYWHERE = (MAX_COUNT, MAX_NUMBER, MAX_SEED)


def page() -> str:
    """Return the page in Markdown."""
    made = schema()
    definitions, lines = made["$defs"], [HEAD]
    for base in BASES:
        lines.append(f"## {base.__name__}\n\n`{'`, `'.join(package.replace('.', '/') for package in base.packages)}`\n")
        for kind in classes(base):
            lines += _section(kind, definitions[f"{base.__name__}.{kind}"], level="###")
    for name, title in BLOCKS.items():
        block = made["properties"][name]["additionalProperties"]
        lines += _section(f"{title} (`{name}`)", _own_keys(block, definitions), level="##")
    return "\n".join(lines)


def _section(title: str, definition: Mapping[str, Any], level: str) -> Iterator[str]:
    yield f"{level} {title}\n\n{definition['description']}\n"
    keys = {name: one for name, one in definition["properties"].items() if name != "kind"}
    if keys:
        defaults = {name: f"`{json.dumps(one.get('default'))}`" for name, one in keys.items()}
        defaults |= dict.fromkeys(definition["required"], "required")
        rows = [(f"`{name}`", _value(one), defaults[name]) for name, one in keys.items()]
        yield from [*markdown_table(["key", "value", "default"], rows), ""]


def _own_keys(block: Mapping[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    """Return the definition of a block, reduced to the keys that blocks of every kind have."""
    if "anyOf" not in block:
        return dict(block)
    shared = set.intersection(*({*one["properties"]} for one in block["anyOf"]))
    first = block["anyOf"][0]["properties"]
    keys = {name: one for name, one in first.items() if name in shared}
    return {"description": block["description"], "properties": keys, "required": ["problem"]}


def _value(one: Mapping[str, Any]) -> str:
    """Return a description of the values that a key takes, such as "integer >= 1" or "list of text"."""
    if "$ref" in one:
        return one["$ref"].rpartition("/")[2]
    if "anyOf" in one:
        return " or ".join(dict.fromkeys(_value(option) for option in one["anyOf"] if option.get("type") != "null"))
    if "enum" in one or "const" in one:
        return ", ".join(f"`{option}`" for option in one.get("enum", [one.get("const")]))
    kind = one.get("type", "any")
    if kind == "array":
        return f"list of {_value(one['items'])}" if "items" in one else "list"
    if kind == "object":
        inner = one.get("additionalProperties")
        return f"mapping to {_value(inner)}" if isinstance(inner, Mapping) else "mapping"
    given = {sign: one[name] for name, sign in BOUNDS.items() if name in one and abs(one[name]) not in EVERYWHERE}
    bounds = " and ".join(f"{sign} {bound:g}" for sign, bound in given.items())
    return f"{'text' if kind == 'string' else kind} {bounds}".strip()

"""JSON schema of the files of a paper, for completion and checks in editors.

``python -m attention_dynamics.config.json_schema`` rewrites config/schema.json. Plug-ins are not part of it.
"""

import inspect
import json
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema

from attention_dynamics.claims.claim import SCALES
from attention_dynamics.config.layers import PARTS_WITH_DEFAULTS
from attention_dynamics.config.schema import BASES, Example, Figure, ProblemConfig, RunConfig
from attention_dynamics.measures.measure import Measure
from attention_dynamics.problems.source import ProblemSource
from attention_dynamics.registry import PACKAGE, Component, find, kinds
from attention_dynamics.training import Training

FILE = PACKAGE.parents[1] / "config" / "schema.json"
COMMAND = "python -m attention_dynamics.config.json_schema"
COMPONENT_MARK = "component "
DIALECT = "https://json-schema.org/draft/2020-12/schema"


class _Generator(GenerateJsonSchema):
    """Generator that marks each field whose type is a base class of components.

    Pydantic cannot write a reference (``$ref``) for such a field, so ``_resolve`` replaces the mark by a reference.
    """

    def function_plain_schema(self, schema: Any) -> dict[str, Any]:
        base = getattr(schema["function"]["function"], "__self__", None)
        if inspect.isclass(base) and issubclass(base, Component):
            return {"title": f"{COMPONENT_MARK}{base.__name__}"}
        return super().function_plain_schema(schema)


def classes(base: type[Component]) -> dict[str, type[Component]]:
    """Return kind -> class, for all kinds of a base class of components."""
    return {kind: find(base, kind) for kind in kinds(base)}


def schema() -> dict[str, Any]:
    """Return the JSON schema of a file of a paper, config/<paper>/<file>.yaml."""
    definitions: dict[str, Any] = {}
    for base in BASES:
        for kind, cls in classes(base).items():
            definitions[f"{base.__name__}.{kind}"] = _with_kind(_model_schema(cls, definitions), kind)
        # A component without settings can be written as its kind alone.
        options = [_reference(f"{base.__name__}.{kind}") for kind in classes(base)]
        definitions[base.__name__] = {"anyOf": [*options, {"enum": list(classes(base))}]}
    problem, run, figure, example = (
        _model_schema(model, definitions) for model in (ProblemConfig, RunConfig, Figure, Example)
    )
    definitions["Measures"] = _measures(definitions)
    run["properties"]["measures"] = _reference("Measures")
    # The plot can be left out if its kind is the default and it has no settings.
    figure["required"].remove("plot")
    figure["properties"]["plot"] = {"type": "object", "properties": {"kind": {"type": "string"}}}
    panels = {"type": "object", "additionalProperties": {**figure, "required": []}}
    figure = {**figure, "properties": {**figure["properties"], "panels": panels}}
    blocks = {
        "problems": _merge_component(problem, "source", ProblemSource, definitions),
        "runs": _merge_component(run, "training", Training, definitions),
        "figures": figure,
    }
    tables = {name: {"type": "object", "additionalProperties": block} for name, block in blocks.items()}
    defaults = _object({name: {"$ref": f"#/properties/{name}/additionalProperties"} for name in PARTS_WITH_DEFAULTS})
    overlay = _object({name: {"type": "object"} for name in (*blocks, "defaults")})
    scales = _object(dict.fromkeys(SCALES, overlay))
    texts = {"title": {"type": "string"}, "arxiv": {"type": "string"}}
    explore = {"type": "object", "additionalProperties": example}
    whole = _object({**texts, "explore": explore, "defaults": defaults, **tables, "scales": scales})
    return dict(_resolve({"$schema": DIALECT, "title": "A file of a paper", **whole, "$defs": definitions}))


def format_schema() -> str:
    """Return the text of config/schema.json, with each definition on a line."""
    whole = schema()
    definitions = whole.pop("$defs")
    lines = [f" {json.dumps(name)}: {json.dumps(definition)}" for name, definition in definitions.items()]
    return f'{json.dumps(whole)[:-1]}, "$defs": {{\n' + ",\n".join(lines) + "\n}\n}\n"


def _model_schema(model: type[BaseModel], definitions: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a model, described by its docstring. Add schemas of nested models to ``definitions``."""
    made = model.model_json_schema(schema_generator=_Generator)
    definitions.update(made.pop("$defs", {}))
    made.setdefault("properties", {})
    made.setdefault("required", [])
    return {**made, "description": inspect.cleandoc(model.__doc__ or "")}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a mapping with these keys and no others."""
    return {"type": "object", "additionalProperties": False, "properties": properties}


def _with_kind(made: dict[str, Any], kind: str) -> dict[str, Any]:
    """Return the schema of a component with the key ``kind``, which is no field of the component."""
    made = {**made, "properties": {"kind": {"const": kind}, **made["properties"]}}
    return {**made, "required": ["kind", *made["required"]]}


def _merge_component(
    block: dict[str, Any], split: str, base: type[Component], definitions: dict[str, Any]
) -> dict[str, Any]:
    """Return the schema of a block that has the keys of a component on the same level as its own (see ``Split``).

    split: the field with the component. base: the component's base class. No key is required, because each key may be
    in ``defaults``.
    """
    own = {name: one for name, one in block["properties"].items() if name != split}
    options = []
    for kind in classes(base):
        component = definitions[f"{base.__name__}.{kind}"]
        options.append({**component, "properties": {**component["properties"], **own}, "required": []})
    return {"description": block["description"], "anyOf": options}


def _measures(definitions: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of the measures of a run, a mapping from the kind of a measure to its settings."""
    by_kind = {}
    for kind in classes(Measure):
        measure = definitions[f"{Measure.__name__}.{kind}"]
        properties = {name: one for name, one in measure["properties"].items() if name != "kind"}
        by_kind[kind] = {**measure, "properties": properties, "required": measure["required"][1:]}
    return _object(by_kind)


def _reference(name: str) -> dict[str, str]:
    return {"$ref": f"#/$defs/{name}"}


def _resolve(value: Any) -> Any:
    """Return a schema with references in place of the marks of ``_Generator``, and without all other titles."""
    if isinstance(value, dict):
        title = value.get("title")
        if isinstance(title, str) and title.startswith(COMPONENT_MARK):
            return _reference(title.removeprefix(COMPONENT_MARK))
        return {key: _resolve(one) for key, one in value.items() if not (key == "title" and isinstance(one, str))}
    return [_resolve(one) for one in value] if isinstance(value, list) else value


if __name__ == "__main__":
    FILE.write_text(format_schema(), encoding="utf-8")

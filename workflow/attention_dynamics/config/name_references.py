"""Search in blocks of the configuration for names of runs, references and series that are defined in other blocks."""

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

from attention_dynamics.types import NameReference, RecordedStep, RunName


def blocks_of_runs(value: Any, path: str = "") -> Iterator[tuple[str, Any, list[str]]]:
    """Yield (path, block, names of its runs) for all nested blocks that name runs, in a field ``run`` or ``runs``.

    The search goes through models, lists and tuples, but not through mappings.
    """
    if isinstance(value, BaseModel):
        names = [*getattr(value, "runs", []), *filter(None, [getattr(value, "run", None)])]
        if names and all(isinstance(name, RunName) for name in names):
            yield path, value, names
        for name in type(value).model_fields:
            yield from blocks_of_runs(getattr(value, name), f"{path}.{name}")
    elif isinstance(value, list | tuple):
        for k, item in enumerate(value):
            yield from blocks_of_runs(item, f"{path}.{k}")


def name_references(value: Any, path: str = "") -> Iterator[tuple[str, NameReference | RecordedStep]]:
    """Yield (path, value) for all names of runs, references and series, and all recorded steps, at any depth.

    value: a model, mapping, list, tuple or leaf of a block. path: its path in the block, with which the yielded paths
    begin.
    """
    if isinstance(value, NameReference | RecordedStep):
        yield path, value
    elif isinstance(value, BaseModel):
        for name in type(value).model_fields:
            yield from name_references(getattr(value, name), f"{path}.{name}")
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from name_references(key, path)
            yield from name_references(item, f"{path}.{key}")
    elif isinstance(value, list | tuple):
        for k, item in enumerate(value):
            yield from name_references(item, f"{path}.{k}")

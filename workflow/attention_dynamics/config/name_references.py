"""Names in a block of the configuration of something that is defined elsewhere in its file."""

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

from attention_dynamics.types import NameReference, RecordedStep, RunName


def blocks_of_runs(value: Any, path: str = "") -> Iterator[tuple[str, Any, list[str]]]:
    """Yield all nested blocks that name runs, with their paths and the runs."""
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
    """Yield all names and recorded steps in a block, however deep, with their paths."""
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

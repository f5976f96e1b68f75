"""Blocks of the configuration that are one of several kinds."""

from collections.abc import Callable
from functools import reduce
from operator import or_
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Discriminator, Field, Tag

from attention_dynamics.block_types import Strict
from attention_dynamics.pipeline import plugins
from attention_dynamics.pipeline.signatures import arguments_model


def any_of(members: dict[str, Any], key: str | Callable[[Any], str]) -> Any:
    """One of several types, told apart by the value of ``key``, or by a function from what is given to a name."""
    if len(members) == 1:
        return next(iter(members.values()))
    union = reduce(or_, (Annotated[member, Tag(name)] for name, member in members.items()))
    return Annotated[union, Discriminator(key) if callable(key) else Field(discriminator=key)]


def block(kind: plugins.Kind, base: type[BaseModel] = Strict) -> Any:
    """The block of a plug-in: ``kind``, the fields of ``base``, and the plug-in's arguments."""
    names = kind.names()
    return any_of({name: arguments_model(kind, name, base, kind=(Literal[name], ...)) for name in names}, "kind")

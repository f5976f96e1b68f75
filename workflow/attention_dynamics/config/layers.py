"""A paper's file, what its scale lays on it, what the command line lays on that, and the defaults under all."""

import functools
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from attention_dynamics.config.errors import ConfigError, not_one_of, show
from attention_dynamics.config.validation import MAPPING

Block = Mapping[str, Any]
NOTHING: Block = MappingProxyType({})

# Key of ``defaults`` -> the part of the file whose blocks inherit it.
DEFAULTS = {"run": "runs", "figure": "figures"}


def merge(base: Block, over: Block, default: Block = NOTHING) -> dict[str, Any]:
    """``over`` laid on ``base``: mappings are merged, anything else replaces, null removes.

    A block with another ``kind`` replaces the whole block, because its other keys belong to that kind. It begins on its
    ``default``, if that is of this kind, as a new block does.
    """
    result = dict(base)
    for key, value in over.items():
        if value is None:
            result.pop(key, None)
            continue
        own: Any = default.get(key)
        fitting: list[Any] = [old for old in (result.get(key), own) if _fits(old, value)]
        result[key] = merge(fitting[0], value, own if _fits(own, fitting[0]) else NOTHING) if fitting else value
    return result


def merge_layers(layers: Sequence[Block], where: str) -> dict[str, Any]:
    """A paper's file as one, each layer laid on those before, and runs that a figure defines in place with the others.

    where: names the file in messages. Raises ConfigError where parts, or blocks that inherit, are not mappings.
    """
    defaults = _table(layers, "defaults", where)
    for name in defaults:
        if name not in DEFAULTS:
            raise ConfigError(f"{where}: defaults: {not_one_of(name, DEFAULTS)}")
    runs, figures = (_table(layers, part, where, defaults.get(name, NOTHING)) for name, part in DEFAULTS.items())
    for name, figure in figures.items():
        if isinstance(figure.get("runs"), Mapping):
            given = [layer["figures"][name] for layer in layers if name in layer.get("figures", {})]
            given = [block for block in given if block and isinstance(block.get("runs"), Mapping)]
            own = _table(given, "runs", where, defaults.get("run", NOTHING), f"figures.{name}.")
            # A layer between may have replaced them all.
            own = {run: block for run, block in own.items() if run in figure["runs"]}
            if there := own.keys() & runs.keys():
                what = "a run of this name is defined already"
                raise ConfigError(f"{where}: figures.{name}.runs.{sorted(there)[0]}: {what}")
            runs |= own
            figure = {**figure, "runs": list(own)}
        figures[name] = {"plot": {"kind": name}, **figure}
    file = functools.reduce(merge, layers)
    return {key: value for key, value in file.items() if key != "defaults"} | {"runs": runs, "figures": figures}


def mapping(value: Any, where: str, key: str) -> Block:
    """The value. Raises ConfigError where it is not a mapping."""
    if not isinstance(value, Mapping):
        raise ConfigError(f"{where}: {key}: {show(value)} is not {MAPPING}")
    return value


def _table(
    layers: Sequence[Block], part: str, where: str, default: Block = NOTHING, place: str = ""
) -> dict[str, Block]:
    """The blocks of a part by name, each layer's on those before, and all on the default.

    The default comes first, so that null in any layer after the file removes what it has.
    """
    given = [mapping(layer.get(part, {}), where, f"{place}{part}") for layer in layers]
    for number, blocks in enumerate(given):
        for name, block in blocks.items():
            if block is not None or number == 0:
                mapping(block, where, f"{place}{part}.{name}")
    return functools.reduce(lambda done, blocks: merge(done, blocks, dict.fromkeys(blocks, default)), given, {})


def _fits(old: Any, new: Any) -> bool:
    """Return whether a block can be laid on another one: both are mappings, and the new one is of no other kind."""
    return isinstance(old, Mapping) and isinstance(new, Mapping) and new.get("kind") in (None, old.get("kind"))

"""A paper's file, what its scale lays on it, what the command line lays on that, and the defaults under all."""

import functools
from collections.abc import Mapping, Sequence
from typing import Any

from attention_dynamics.pipeline.errors import ConfigError, not_one_of, show
from attention_dynamics.pipeline.validation import MAPPING

Block = Mapping[str, Any]

# Key of ``defaults`` -> the part of the file whose blocks inherit it.
DEFAULTS = {"run": "runs", "figure": "figures"}


def merge(base: Block, over: Block) -> dict[str, Any]:
    """``over`` laid on ``base``: mappings are merged, anything else replaces, null removes.

    A block with another ``kind`` replaces the whole block, because its other keys belong to that kind.
    """
    result = dict(base)
    for key, value in over.items():
        old = result.get(key)
        if value is None:
            result.pop(key, None)
        elif isinstance(old, Mapping) and isinstance(value, Mapping) and not _other_kind(old, value):
            result[key] = merge(old, value)
        else:
            result[key] = value
    return result


def merge_layers(layers: Sequence[Block], where: str) -> dict[str, Any]:
    """A paper's file as one, each layer laid on those before, and runs that a figure defines in place with the others.

    where: names the file in messages. Raises ConfigError where parts, or blocks that inherit, are not mappings.
    """
    defaults = _stack(_parts(layers, "defaults", where), {})
    for name, default in defaults.items():
        if name not in DEFAULTS:
            raise ConfigError(f"{where}: defaults: {not_one_of(name, DEFAULTS)}")
        mapping(default, where, f"defaults.{name}")
    parts = {part: _stack(_parts(layers, part, where), defaults.get(name, {})) for name, part in DEFAULTS.items()}
    runs, figures = (
        {key: mapping(block, where, f"{part}.{key}") for key, block in parts[part].items()} for part in parts
    )
    for name, figure in figures.items():
        if isinstance(figure.get("runs"), Mapping):
            own = [layer[name]["runs"] for layer in _parts(layers, "figures", where) if _defines_runs(layer.get(name))]
            blocks = _stack(own, defaults.get("run", {}))
            for run, block in blocks.items():
                place = f"figures.{name}.runs.{run}"
                if run in runs:
                    raise ConfigError(f"{where}: {place}: a run of this name is defined already")
                runs[run] = mapping(block, where, place)
            figure = {**figure, "runs": list(blocks)}
        figures[name] = {"plot": {"kind": name}, **figure}
    file = functools.reduce(merge, layers)
    return {key: value for key, value in file.items() if key != "defaults"} | {"runs": runs, "figures": figures}


def mapping(value: Any, where: str, key: str) -> Block:
    """The value. Raises ConfigError where it is not a mapping."""
    if not isinstance(value, Mapping):
        raise ConfigError(f"{where}: {key}: {show(value)} is not {MAPPING}")
    return value


def _stack(layers: Sequence[Block], default: Block) -> dict[str, Any]:
    """Named blocks, each layer's on those before, the first on the default, unless that is of another kind.

    The default comes first, so that null in any layer removes what it has.
    """
    result: dict[str, Any] = {}
    for layer in layers:
        for name, block in layer.items():
            if block is None and name in result:
                del result[name]
            elif isinstance(block, Mapping):
                old = result.get(name, default)
                under = default if not isinstance(old, Mapping) or _other_kind(old, block) else old
                result[name] = block if _other_kind(under, block) else merge(under, block)
            else:
                result[name] = block
    return result


def _other_kind(old: Block, new: Block) -> bool:
    return new.get("kind") not in (None, old.get("kind"))


def _parts(layers: Sequence[Block], part: str, where: str) -> list[Block]:
    """A part of every layer."""
    return [mapping(layer.get(part, {}), where, part) for layer in layers]


def _defines_runs(figure: Any) -> bool:
    return isinstance(figure, Mapping) and isinstance(figure.get("runs"), Mapping)

"""Merging of the layers of a paper's file: defaults, its content, the overlay of the scale, and the command line."""

from collections.abc import Mapping
from typing import Any

from pydantic_core import PydanticCustomError

from attention_dynamics.choices import format_value, format_wrong_choice
from attention_dynamics.config.errors import ConfigError
from attention_dynamics.config.validation import MAPPING
from attention_dynamics.problems.source import ProblemSource
from attention_dynamics.registry import Component, find, kinds
from attention_dynamics.training import Training

Block = Mapping[str, Any]
# Parts of a file whose blocks can have defaults, with the base class of their kinds.
PARTS_WITH_DEFAULTS: dict[str, type[Component]] = {"problems": ProblemSource, "runs": Training}


def merge(base: Block, over: Block) -> dict[str, Any]:
    """Return ``base`` with ``over`` merged into it: nested mappings are merged, anything else is replaced.

    A block with another ``kind`` replaces the old block as a whole, because the old keys belong to the old kind.
    """
    result = dict(base)
    for key, value in over.items():
        fits = key in result and _can_merge(result[key], value)
        result[key] = merge(result[key], value) if fits else value
    return result


def split_defaults(layers: list[Block], where: str) -> tuple[dict[str, Any], list[Block]]:
    """Return the merged defaults of all layers of a file, and the layers without defaults.

    Raises ConfigError, beginning with ``where``, for defaults of an unknown part or kind, or that are no mapping.
    """
    defaults: dict[str, Any] = {}
    for layer in layers:
        defaults = merge(defaults, require_mapping(layer.get("defaults", {}), where, "defaults"))
    for part, block in defaults.items():
        if part not in PARTS_WITH_DEFAULTS:
            raise ConfigError(f"{where}: defaults: {format_wrong_choice(part, PARTS_WITH_DEFAULTS)}")
        if "kind" in require_mapping(block, where, f"defaults.{part}"):
            _require_kind(block["kind"], PARTS_WITH_DEFAULTS[part], f"{where}: defaults.{part}.kind")
    return defaults, [{key: value for key, value in layer.items() if key != "defaults"} for layer in layers]


def _require_kind(kind: Any, base: type[Component], where: str) -> None:
    """Raise ConfigError for an unknown kind. Without this check, defaults with a misspelt kind could be ignored."""
    try:
        find(base, kind)
    except PydanticCustomError:
        raise ConfigError(f"{where}: {format_wrong_choice(kind, kinds(base))}") from None
    except ImportError as error:
        raise ConfigError(str(error)) from None


def with_defaults(blocks: Block, defaults: Block) -> dict[str, Any]:
    """Return the blocks, completed with the defaults. Defaults with a kind do not apply to blocks of another kind."""
    kind = defaults.get("kind")
    return {
        name: {**defaults, **block} if kind in (None, block.get("kind", kind)) else block
        for name, block in blocks.items()
    }


def with_panels(figures: Block, where: str) -> dict[str, Any]:
    """Return the figures, with each panel as a separate figure: panel ``a`` of ``fig4`` becomes ``fig4a``.

    A panel inherits the keys of its figure that it does not set itself. Raises ConfigError, beginning with ``where``,
    for a panel that has panels or whose name is the name of another figure.
    """
    expanded: dict[str, Any] = {}
    for name, figure in figures.items():
        expanded[name] = {key: value for key, value in figure.items() if key != "panels"}
        for letter, panel in require_mapping(figure.get("panels", {}), where, f"figures.{name}.panels").items():
            place = f"figures.{name}.panels.{letter}"
            if "panels" in require_mapping(panel, where, place):
                raise ConfigError(f"{where}: {place}.panels: a panel has none of its own")
            if (own_name := f"{name}{letter}") in {*figures, *expanded}:
                raise ConfigError(f"{where}: {place}: figures.{own_name} is already defined")
            expanded[own_name] = {**expanded[name], **panel}
    return expanded


def require_mapping(value: Any, where: str, key: str) -> Block:
    """Return the value. Raises ConfigError, naming ``where`` and ``key``, if it is not a mapping."""
    if not isinstance(value, Mapping):
        hint = " (is a bracket missing?)" if isinstance(value, str) and value.startswith("{") else ""
        raise ConfigError(f"{where}: {key}: {format_value(value)} is not {MAPPING}{hint}")
    return value


def _can_merge(old: Any, new: Any) -> bool:
    """Return whether two values can be merged: both are mappings, and the new one gives no other kind."""
    return isinstance(old, Mapping) and isinstance(new, Mapping) and new.get("kind") in (None, old.get("kind"))

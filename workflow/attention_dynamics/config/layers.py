"""Merging of the layers of a paper's file: its content, the overlay of the scale, and the command line."""

from collections.abc import Mapping
from typing import Any

from attention_dynamics.choices import format_value
from attention_dynamics.config.errors import ConfigError
from attention_dynamics.config.validation import MAPPING

Block = Mapping[str, Any]


def merge(base: Block, over: Block) -> dict[str, Any]:
    """Merge ``over`` into ``base``: mappings are merged, anything else is replaced.

    A block with another ``kind`` replaces the whole block, because its other keys belong to that kind.
    """
    result = dict(base)
    for key, value in over.items():
        fits = key in result and _can_merge(result[key], value)
        result[key] = merge(result[key], value) if fits else value
    return result


def with_defaults(runs: Block, defaults: Block) -> dict[str, Any]:
    """Return the runs, completed with the defaults where a run has the same kind as these."""
    kind = defaults.get("kind")
    return {
        name: {**defaults, **run} if isinstance(run, Mapping) and run.get("kind", kind) == kind else run
        for name, run in runs.items()
    }


def require_mapping(value: Any, where: str, key: str) -> Block:
    """Return the value. Raises ConfigError where it is not a mapping."""
    if not isinstance(value, Mapping):
        hint = " (is a bracket missing?)" if isinstance(value, str) and value.startswith("{") else ""
        raise ConfigError(f"{where}: {key}: {format_value(value)} is not {MAPPING}{hint}")
    return value


def _can_merge(old: Any, new: Any) -> bool:
    """Return whether two blocks can be merged: both are mappings, and the new one does not change the kind."""
    return isinstance(old, Mapping) and isinstance(new, Mapping) and new.get("kind") in (None, old.get("kind"))

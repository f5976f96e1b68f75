"""A file of a paper, what its scale lays on it, and what the command line lays on that."""

from collections.abc import Mapping
from typing import Any

from attention_dynamics.choices import show
from attention_dynamics.config.errors import ConfigError
from attention_dynamics.config.validation import MAPPING

Block = Mapping[str, Any]


def merge(base: Block, over: Block) -> dict[str, Any]:
    """Lay ``over`` on ``base``: mappings are merged, anything else replaces.

    A block with another ``kind`` replaces the whole block, because its other keys belong to that kind.
    """
    result = dict(base)
    for key, value in over.items():
        fits = key in result and _fits(result[key], value)
        result[key] = merge(result[key], value) if fits else value
    return result


def with_defaults(runs: Block, defaults: Block) -> dict[str, Any]:
    """Return runs with those keys of the defaults that they do not have, as far as they are of the same kind."""
    kind = defaults.get("kind")
    return {
        name: {**defaults, **run} if isinstance(run, Mapping) and run.get("kind", kind) == kind else run
        for name, run in runs.items()
    }


def mapping(value: Any, where: str, key: str) -> Block:
    """Return the value. Raises ConfigError where it is not a mapping."""
    if not isinstance(value, Mapping):
        raise ConfigError(f"{where}: {key}: {show(value)} is not {MAPPING}")
    return value


def _fits(old: Any, new: Any) -> bool:
    """Return whether a block can be laid on another one: both are mappings, and the new one is of no other kind."""
    return isinstance(old, Mapping) and isinstance(new, Mapping) and new.get("kind") in (None, old.get("kind"))

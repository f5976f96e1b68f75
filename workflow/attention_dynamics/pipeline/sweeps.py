"""Sweeps: a variant for each value of a setting, and a figure of a measure against this setting.

``config/variants/<name>.yaml`` is a sweep if it has the key ``measure`` beside the name of a paper. One of the settings
below this name must be a list. ``<name>_1``, ``<name>_2``, ... are the variants with the values in the list.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from attention_dynamics.choices import format_value
from attention_dynamics.config.errors import ConfigError
from attention_dynamics.config.layers import merge

MEASURE = "measure"
RUN_AND_SERIES = re.compile(r"(\w+)\.(\w+)")


class Sweep(NamedTuple):
    """A sweep over the values of one setting.

    key, values: dotted name of the setting, and its values. paper, run, series: names of the paper, of its run,
    and of the series to measure. blocks: for each value, the changes that make its variant.
    """

    key: str
    values: list[Any]
    paper: str
    run: str
    series: str
    blocks: list[dict[str, Any]]


def parse_sweep(content: Mapping[str, Any], where: str) -> Sweep | None:
    """Return the sweep that the content of a variant's file describes; None for a variant that is no sweep.

    Raises ConfigError, beginning with ``where``, if the measure is not <run>.<series>, if the sweep does not change
    exactly one paper, or if the changes do not have exactly one list, with two values or more.
    """
    if MEASURE not in content:
        return None
    measured, papers = content[MEASURE], {key: block for key, block in content.items() if key != MEASURE}
    match = RUN_AND_SERIES.fullmatch(measured) if isinstance(measured, str) else None
    if not match:
        raise ConfigError(f"{where}: measure: {format_value(measured)} is not <run>.<series>, as in gd.norm_W")
    if len(papers) != 1:
        raise ConfigError(f"{where}: a sweep changes one paper, got {', '.join(papers) or 'none'}")
    lists = list(_lists(papers))
    if len(lists) != 1:
        found = ", ".join(".".join(keys) for keys, _ in lists) or "none"
        raise ConfigError(f"{where}: a sweep needs one list of values, got {found}")
    keys, values = lists[0]
    if len(values) < 2:
        raise ConfigError(f"{where}: {'.'.join(keys)}: a sweep needs at least two values, got {format_value(values)}")
    blocks = [merge(papers, nest(keys, value)) for value in values]
    return Sweep(".".join(keys[1:]), values, keys[0], match[1], match[2], blocks)


def _lists(block: Mapping[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], list[Any]]]:
    """Yield the keys and the values of every list in nested blocks."""
    for key, value in block.items():
        if isinstance(value, Mapping):
            yield from _lists(value, (*above, str(key)))
        elif isinstance(value, list):
            yield (*above, str(key)), value


def nest(keys: Sequence[str], value: Any) -> dict[str, Any]:
    """Return nested blocks with one value: ``{"a": {"b": value}}`` for the keys a and b."""
    for key in reversed(keys):
        value = {key: value}
    nested: dict[str, Any] = value
    return nested

"""Blocks that differ in a few values, written once.

    path_{p}:
      each: {p: [175, 2], steps: [1500, 2000]}
      steps: "{steps}"

stands for path_175 and path_2. A text that is nothing but a name in braces becomes the value, of whatever type.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from attention_dynamics.config.errors import ConfigError, show

EACH = "each"
SLOT = re.compile(r"\{(\w+)\}")


def expand(blocks: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Named blocks, those with ``each`` replaced by their copies.

    where: file and key, for messages. Raises ConfigError for an ``each`` that is not lists of equal lengths, for names
    that coincide, and for a block that contains itself.
    """
    result: dict[str, Any] = {}
    for name, block in blocks.items():
        for copied_name, copied in _copies(name, block, f"{where}.{name}"):
            if copied_name in result:
                raise ConfigError(f"{where}.{name}: another block is called {copied_name} too")
            result[copied_name] = copied
    return result


def _copies(name: str, block: Any, where: str) -> Iterator[tuple[str, Any]]:
    if not (isinstance(block, Mapping) and EACH in block):
        yield name, block
        return
    each = block[EACH]
    lists = list(each.values()) if isinstance(each, Mapping) else []
    if not lists or not all(isinstance(values, list) and len(values) == len(lists[0]) > 0 for values in lists):
        raise ConfigError(f"{where}.{EACH}: {show(each)} is not names with lists of values, all of the same length")
    rest = {key: value for key, value in block.items() if key != EACH}
    for row in zip(*lists, strict=True):
        values = dict(zip(each, row, strict=True))
        try:
            yield str(_filled(name, values)), _filled(rest, values)
        except RecursionError:
            raise ConfigError(f"{where}: contains itself") from None


def _filled(value: Any, values: Mapping[str, Any]) -> Any:
    """A value with the slots in its texts filled, keys included."""
    if isinstance(value, Mapping):
        return {_filled(key, values): _filled(item, values) for key, item in value.items()}
    if isinstance(value, list):
        return [_filled(item, values) for item in value]
    if not isinstance(value, str):
        return value
    whole = SLOT.fullmatch(value)
    if whole and whole[1] in values:
        return values[whole[1]]
    return SLOT.sub(lambda slot: str(values.get(slot[1], slot[0])), value)

"""Strict reading of YAML: duplicate keys, ambiguous numbers and blocks that are nested too deep are errors."""

import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import yaml

from attention_dynamics.bounded_files import read_bounded
from attention_dynamics.config.errors import ConfigError

# Limits against damage by broken files. A large configuration file has 20,000 bytes, 1,000 values and 7 levels.
MAX_BYTES, MAX_VALUES, MAX_DEPTH = 2_000_000, 1_000_000, 100
MERGE, INTEGER, FLOAT = (f"tag:yaml.org,2002:{name}" for name in ("merge", "int", "float"))
# Patterns of numbers that mean the same in YAML 1.1, which PyYAML reads, and in YAML 1.2, which most people expect.
SAME_NUMBERS = {
    INTEGER: re.compile(r"[-+]?(0|[1-9][0-9]*)|0x[0-9a-fA-F]+"),
    FLOAT: re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)"),
}
# With at most this many blocks, a file cannot crash the C parser, so its depth is not checked before it is parsed.
SAFE_BLOCKS = 1000
TOO_DEEP = f"has more than {MAX_DEPTH} blocks within each other"
TOO_MANY = f"has more than {MAX_VALUES} values"


class _Loader(yaml.CSafeLoader):
    """A loader that reads 1e-3 as a number. It refuses duplicate keys and ambiguous, too large or too small numbers."""

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        """Insert the keys that a mapping merges with ``<<``. Raises MarkedYAMLError for a repeated or non-text key.

        PyYAML calls this method before it reads a mapping, and again when it merges the mapping into another one.
        """
        keys = set()
        for key_node in (key for key, _ in node.value if key.tag != MERGE):
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, str):
                raise yaml.MarkedYAMLError(problem=f"key {key!r} is not text", problem_mark=key_node.start_mark)
            if key in keys:
                raise yaml.MarkedYAMLError(problem=f"duplicate key {key!r}", problem_mark=key_node.start_mark)
            keys.add(key)
        super().flatten_mapping(node)
        # The mapping's own keys follow the merged ones and replace them.
        node.value = list({key.value: (key, value) for key, value in node.value}.values())

    def construct_float(self, node: yaml.ScalarNode) -> float:
        """Return a float. Raises MarkedYAMLError if it is not the same in YAML 1.1 and 1.2, or under- or overflows."""
        _check_number(node)
        number = float(self.construct_yaml_float(node))
        digits = node.value.lower().partition("e")[0]
        if (number == 0 and re.search("[1-9]", digits)) or (math.isinf(number) and "inf" not in digits):
            raise yaml.MarkedYAMLError(problem=f"{node.value} is too small or too large", problem_mark=node.start_mark)
        return number

    def construct_integer(self, node: yaml.ScalarNode) -> int:
        """Return an integer. Raises MarkedYAMLError if it is not the same in YAML 1.1 and 1.2, or exceeds 64 bits."""
        _check_number(node)
        number = int(self.construct_yaml_int(node))
        if not -(2**63) <= number < 2**63:
            raise yaml.MarkedYAMLError(problem="this integer does not fit into 64 bits", problem_mark=node.start_mark)
        return number


def _check_number(node: yaml.ScalarNode) -> None:
    if not SAME_NUMBERS[node.tag].fullmatch(node.value):
        what = f"{node.value!r} is not the same number in YAML 1.1 and 1.2; write a decimal number, or text in quotes"
        raise yaml.MarkedYAMLError(problem=what, problem_mark=node.start_mark)


_Loader.add_constructor(INTEGER, _Loader.construct_integer)
_Loader.add_constructor(FLOAT, _Loader.construct_float)
_Loader.add_implicit_resolver(
    FLOAT, re.compile(r"^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)[eE][-+]?[0-9]+$"), list("-+.0123456789")
)
# Read 08 and 0o17, which are text in YAML 1.1 and numbers in YAML 1.2, as integers: ``construct_integer`` refuses them.
_Loader.add_implicit_resolver(INTEGER, re.compile(r"^[-+]?0o?[0-9]+$"), list("-+0"))


def load_yaml(path: Path) -> dict[str, Any]:
    """Return the mapping in a YAML file. Raises ConfigError, with the line of the error if it is known."""
    try:
        text = read_bounded(path, MAX_BYTES).decode()
    except OSError as error:
        raise ConfigError(str(error)) from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: is not a text file") from None
    content = parse_yaml(text, str(path))
    if not isinstance(content, dict):
        raise ConfigError(f"{path}: must be a mapping of keys to values, not {type(content).__name__}")
    return content


def parse_yaml(text: str, where: str) -> Any:
    """Return the content of a YAML text. Raises ConfigError, with the line of the error if it is known.

    where: the beginning of messages, such as the path of the file.
    """
    try:
        # Every block begins with one of these characters. With 25,000 nested blocks the C parser would crash.
        if sum(map(text.count, "[{-?:")) > SAFE_BLOCKS:
            _check_depth(text)
        content = yaml.load(text, _Loader)  # noqa: S506 (a safe loader)
    except Exception as error:  # PyYAML does not catch errors of Python: `!!bool x` is a KeyError
        mark = getattr(error, "problem_mark", None)
        line = f"line {mark.line + 1}: " if mark else ""
        what = getattr(error, "problem", None) or f"a value cannot be read ({error})"
        raise ConfigError(f"{where}: {line}{what}") from None
    check_nesting(content, where)
    return content


def _check_depth(text: str) -> None:
    depth, events = 0, cast(Iterator[Any], yaml.parse(text, yaml.CSafeLoader))
    for event in events:
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise yaml.MarkedYAMLError(problem=TOO_DEEP, problem_mark=event.start_mark)


def check_nesting(content: Any, where: str) -> None:
    """Raise ConfigError for blocks that are nested too deep, and for too many values. Aliases can multiply values."""
    todo = [(content, 0)]
    for value, depth in todo:
        # Checked at every value, because the list of values that remain to be visited can itself fill the memory.
        if depth > MAX_DEPTH or len(todo) > MAX_VALUES:
            raise ConfigError(f"{where}: {TOO_DEEP if depth > MAX_DEPTH else TOO_MANY}")
        inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
        todo.extend((one, depth + 1) for one in inner)


def parse_value(value: Any) -> Any:
    """Return a value of the command line, with texts converted that YAML reads as a number, a boolean or null.

    Within lists and mappings, Snakemake passes numbers and booleans as text.
    """
    if isinstance(value, Mapping):
        return {key: parse_value(item) for key, item in value.items()}
    if isinstance(value, list):
        return [parse_value(item) for item in value]
    try:
        read = parse_yaml(value, "") if isinstance(value, str) else value
    except ConfigError:  # text that is no YAML, such as a title with a colon
        return value
    return read if read is None or isinstance(read, bool | int | float) else value

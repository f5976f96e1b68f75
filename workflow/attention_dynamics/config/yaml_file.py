"""Reading YAML strictly."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from attention_dynamics.config.errors import ConfigError

# A large file of a figure has 20,000.
MAX_BYTES = 2_000_000
MERGE, INTEGER, FLOAT = (f"tag:yaml.org,2002:{name}" for name in ("merge", "int", "float"))


class _Loader(yaml.CSafeLoader):
    """Refuses duplicate keys and integers beyond 64 bits, and reads 1e-3 as the number it is."""

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        """Insert merged keys (<<). It is called for every mapping before it is read, and again when it is merged."""
        keys = []
        for key_node in (key for key, _ in node.value if key.tag != MERGE):
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, str):
                raise yaml.MarkedYAMLError(problem=f"key {key!r} is not text", problem_mark=key_node.start_mark)
            if key in keys:
                raise yaml.MarkedYAMLError(problem=f"duplicate key {key!r}", problem_mark=key_node.start_mark)
            keys.append(key)
        super().flatten_mapping(node)
        # The mapping's own keys follow the merged ones and replace them.
        node.value = list({key.value: (key, value) for key, value in node.value}.values())

    def construct_integer(self, node: yaml.ScalarNode) -> int:
        """Return an integer that fits into 64 bits."""
        number = self.construct_yaml_int(node)
        if not -(2**63) <= number < 2**63:
            raise yaml.MarkedYAMLError(problem="this integer does not fit into 64 bits", problem_mark=node.start_mark)
        return number


_Loader.add_constructor(INTEGER, _Loader.construct_integer)
_Loader.add_implicit_resolver(FLOAT, re.compile(r"^[-+]?(\d+\.?\d*|\.\d+)[eE][-+]?\d+$"), list("-+.0123456789"))


def load_yaml(path: Path) -> dict[str, Any]:
    """Return the mapping in a YAML file. Raises ConfigError, with the line where there is one."""
    try:
        # Reading a pipe would wait, and one device never ends.
        if path.exists() and not path.is_dir() and not path.is_file():
            raise ConfigError(f"{path}: is not a file")
        if path.is_file() and path.stat().st_size > MAX_BYTES:
            raise ConfigError(f"{path}: has more than {MAX_BYTES} bytes")
        content = yaml.load(path.read_bytes().decode(), _Loader)  # noqa: S506 (a safe loader)
    except ConfigError:
        raise
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: is not a text file") from None
    except Exception as error:  # PyYAML passes on any error of Python: `!!bool x` is a KeyError
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}: " if mark else ""
        what = getattr(error, "problem", None) or f"a value cannot be read ({error})"
        raise ConfigError(f"{path}: {where}{what}") from None
    if not isinstance(content, dict):
        raise ConfigError(f"{path}: must be a mapping of keys to values, not {type(content).__name__}")
    return content


def parse_value(value: Any) -> Any:
    """Return a value of the command line, where Snakemake leaves numbers, booleans and null in brackets as text."""
    if isinstance(value, Mapping):
        return {key: parse_value(item) for key, item in value.items()}
    if isinstance(value, list):
        return [parse_value(item) for item in value]
    try:
        read = yaml.load(value, _Loader) if isinstance(value, str) else value  # noqa: S506 (a safe loader)
    except Exception:  # text that is no YAML, such as a title with a colon
        return value
    return read if read is None or isinstance(read, bool | int | float) else value

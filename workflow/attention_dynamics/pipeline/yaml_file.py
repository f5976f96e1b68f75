"""Reading YAML strictly."""

import re
from pathlib import Path
from typing import Any

import yaml

from attention_dynamics.pipeline.errors import ConfigError


class _Loader(yaml.CSafeLoader):
    """Refuses duplicate keys, and reads 1e-3 as the number it is."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict:
        nodes = [key for key, _ in node.value if key.tag != "tag:yaml.org,2002:merge"]
        keys = [self.construct_object(key, deep=True) for key in nodes]
        for key_node, key in zip(nodes, keys, strict=True):
            if not isinstance(key, str):
                raise yaml.MarkedYAMLError(problem=f"key {key!r} is not text", problem_mark=key_node.start_mark)
            if keys.count(key) > 1:
                raise yaml.MarkedYAMLError(problem=f"duplicate key {key!r}", problem_mark=key_node.start_mark)
        return super().construct_mapping(node, deep)


_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"^[-+]?(\d+\.?\d*|\.\d+)[eE][-+]?\d+$"), list("-+.0123456789")
)


def load_yaml(path: Path) -> dict[str, Any]:
    """The mapping in a YAML file. Raises ConfigError, with the line where there is one."""
    try:
        content = yaml.load(path.read_text(encoding="utf-8"), _Loader)  # noqa: S506 (a safe loader)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: is not a text file") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}: " if mark else ""
        what = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise ConfigError(f"{path}: {where}{what}") from None
    if not isinstance(content, dict):
        raise ConfigError(f"{path}: must hold keys and values, not {type(content).__name__}")
    return content

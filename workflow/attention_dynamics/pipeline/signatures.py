"""What may be configured of a plug-in: the keyword-only arguments of its function, read from the source.

Their annotations, names from ``types.py`` and ``block_types.py``, are the check.
"""

import ast
import typing
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field, create_model

from attention_dynamics import block_types, types
from attention_dynamics.pipeline.errors import ConfigError
from attention_dynamics.pipeline.plugins import Kind, functions

BUILTINS = {kind.__name__: kind for kind in (bool, dict, float, int, list, str)}
# With pydantic's Field for bounds that have no name there.
VOCABULARY = {**vars(typing), **vars(types), **vars(block_types), "Field": Field, **BUILTINS, "__builtins__": {}}
FILES = f"{types.__file__} and {Path(block_types.__file__).name}"


def arguments_model(kind: Kind, name: str, base: type[BaseModel], /, **fields: Any) -> type[BaseModel]:
    """A model of what may be configured of a plug-in, on top of the fields of ``base`` and those given."""
    return create_model(name, __base__=base, **fields, **keyword_arguments(kind.file(name), kind.function))


def keyword_arguments(path: Path, function: str) -> dict[str, Any]:
    """Name -> (type, default) of a function's keyword-only arguments, as ``pydantic.create_model`` wants them.

    Raises ConfigError for an argument whose annotation is missing or uses a name that neither file defines, and for a
    default that is not a literal.
    """
    arguments = functions(path)[function].args
    return {
        argument.arg: _read(argument, default, f"{path}: {function}: {argument.arg}")
        for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    }


def _read(argument: ast.arg, default: ast.expr | None, where: str) -> tuple[Any, Any]:
    text = ast.unparse(argument.annotation) if argument.annotation else "no annotation"
    try:
        kind = eval(text, dict(VOCABULARY))  # noqa: S307 (source that is going to be imported anyway)
    except (NameError, SyntaxError, TypeError, AttributeError):
        raise ConfigError(f"{where}: {text!r} is not made of the types in {FILES}") from None
    try:
        return kind, ... if default is None else ast.literal_eval(default)
    except ValueError:
        raise ConfigError(f"{where}: the default {ast.unparse(default)!r} is not a literal") from None

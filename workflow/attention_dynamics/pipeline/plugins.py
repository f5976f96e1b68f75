"""Plug-ins: a name in the configuration is a module in the folder of its kind.

``optimizer: {kind: normalized_gd, step_size: 0.1}`` calls ``step`` of ``optim/normalized_gd.py``. What may be
configured are the keyword-only arguments of that function; their annotations, names from ``types.py``, are the check.
All this is read from the source, so that a configuration is checked without importing torch.
"""

import ast
import importlib
import typing
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, create_model

from attention_dynamics import types
from attention_dynamics.pipeline import source
from attention_dynamics.pipeline.errors import ConfigError

BUILTINS = {kind.__name__: kind for kind in (bool, dict, float, int, list, str)}
VOCABULARY = {**vars(typing), **vars(types), **BUILTINS, "__builtins__": {}}


@dataclass(frozen=True)
class Kind:
    """A folder of plug-ins and the function that each of them defines."""

    folder: str
    function: str

    def names(self) -> list[str]:
        """The plug-ins there are, sorted."""
        folder = source.PACKAGE / self.folder
        return sorted(file.stem for file in folder.glob("*.py") if self.function in functions(file))

    def module(self, name: str) -> str:
        """Dotted name of the plug-in's module."""
        return ".".join([source.NAME, *Path(self.folder).parts, name])

    def load(self, name: str) -> Any:
        """Import the plug-in; returns its module."""
        return importlib.import_module(self.module(name))

    def call(self, name: str) -> Callable:
        """Import the plug-in; returns its function."""
        return getattr(self.load(name), self.function)

    def arguments(self, name: str, base: type[BaseModel], **fields: Any) -> type[BaseModel]:
        """A model of what may be configured, on top of the fields of ``base`` and those given."""
        file = source.PACKAGE / self.folder / f"{name}.py"
        return create_model(name, __base__=base, **fields, **keyword_arguments(file, self.function))

    def constant(self, name: str, constant: str, default: Any = None) -> Any:
        """Value of a literal at the top level of the plug-in's module. Raises LookupError without one and a default."""
        try:
            return source.constant(self.module(name), constant)
        except LookupError:
            if default is None:
                raise
            return default


PROBLEM = Kind("problems", "build")
REFERENCE = Kind("margins", "solve")
MODEL = Kind("models", "build")
LOSS = Kind("losses", "loss")
OPTIMIZER = Kind("optim", "step")
NETWORK = Kind("networks", "build")
DEEP_OPTIMIZER = Kind("deep_optimizers", "build")
TRAINER = Kind("trainers", "train")
MEASURE = Kind("measures", "measure")


def plot(paper: str) -> Kind:
    """The plots of a paper."""
    return Kind(f"plots/{paper}", "draw")


def functions(path: Path) -> dict[str, ast.FunctionDef]:
    """Public functions at the top level of a file."""
    body = source.tree(path).body
    return {node.name: node for node in body if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")}


def keyword_arguments(path: Path, function: str) -> dict[str, Any]:
    """Name -> (type, default) of a function's keyword-only arguments, as ``pydantic.create_model`` wants them.

    Raises ConfigError for an argument whose annotation is missing or uses a name that ``types.py`` does not define,
    and for a default that is not a literal.
    """
    arguments = functions(path)[function].args
    return {
        argument.arg: _read(argument, default, f"{path}: {function}: {argument.arg}")
        for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    }


def _read(argument: ast.arg, default: ast.expr | None, where: str) -> tuple[Any, Any]:
    text = ast.unparse(argument.annotation) if argument.annotation else "no annotation"
    try:
        kind = eval(text, dict(VOCABULARY))  # noqa: S307 (our own source, which is going to be imported anyway)
    except (NameError, SyntaxError, TypeError, AttributeError):
        raise ConfigError(f"{where}: {text!r} is not made of the types in {types.__file__}") from None
    try:
        return kind, ... if default is None else ast.literal_eval(default)
    except ValueError:
        raise ConfigError(f"{where}: the default {ast.unparse(default)!r} is not a literal") from None

"""Plug-ins: a name in the configuration is a module in the folder of its kind.

``optimizer: {kind: normalized_gd, step_size: 0.1}`` calls ``step`` of ``optim/normalized_gd.py``. What may be
configured are the keyword-only arguments of that function; their annotations, names from ``types.py``, are the check.
All this is read from the source, so that a configuration is checked without importing torch.

A plug-in may also lie in the same folder of ``plugins/`` beside the configuration (``outside.py``), or be a module that
an installed package names by an entry point, in the group that is called as the folder: ``attention_dynamics.optim``.
"""

import ast
import importlib
import typing
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
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
    """A folder of plug-ins and the function that each of them defines.

    also: other names that each of them defines at its top level.
    """

    folder: str
    function: str
    also: tuple[str, ...] = ()

    @property
    def group(self) -> str:
        """Dotted name of the folder, and the group of entry points."""
        return ".".join([source.NAME, *Path(self.folder).parts])

    def names(self) -> list[str]:
        """The plug-ins there are, sorted."""
        files = [file for folder in source.folders(source.NAME) for file in (folder / self.folder).glob("*.py")]
        here = {file.stem for file in files if self.function in functions(file)}
        return sorted({*here, *registered(self.group)})

    def module(self, name: str) -> str:
        """Dotted name of the plug-in's module."""
        module = f"{self.group}.{name}"
        # Entry points take time to read: jobs that need none of them do not.
        if source.module_file(module) is None and name in registered(self.group):
            return registered(self.group)[name][0].value
        return module

    def file(self, name: str) -> Path | None:
        """The file of the plug-in's module, or None where there is none."""
        return source.module_file(self.module(name))

    def load(self, name: str) -> Any:
        """Import the plug-in; returns its module."""
        return importlib.import_module(self.module(name))

    def call(self, name: str) -> Callable:
        """Import the plug-in; returns its function."""
        return getattr(self.load(name), self.function)

    def arguments(self, name: str, base: type[BaseModel], **fields: Any) -> type[BaseModel]:
        """A model of what may be configured, on top of the fields of ``base`` and those given."""
        return create_model(name, __base__=base, **fields, **keyword_arguments(self.file(name), self.function))

    def constant(self, name: str, constant: str, default: Any = None) -> Any:
        """Value of a literal at the top level of the plug-in's module. Raises LookupError without one and a default."""
        try:
            return source.constant(self.module(name), constant)
        except LookupError:
            if default is None:
                raise
            return default


PROBLEM = Kind("problems", "build", ("shape",))
REFERENCE = Kind("margins", "solve", ("PARAMETER",))
MODEL = Kind("models", "build", ("PARAMETERS",))
LOSS = Kind("losses", "loss", ("log_slope",))
OPTIMIZER = Kind("optim", "step")
NETWORK = Kind("networks", "build", ("DATA", "OBSERVABLE"))
DEEP_OPTIMIZER = Kind("deep_optimizers", "build")
TRAINER = Kind("trainers", "train")
MEASURE = Kind("measures", "measure", ("SERIES",))
# Without trainers: what a run of their kind may say is a class in ``run_kinds``.
KINDS = (PROBLEM, REFERENCE, MODEL, LOSS, OPTIMIZER, NETWORK, DEEP_OPTIMIZER, MEASURE)
PLOTS = "plots"


def plot(paper: str) -> Kind:
    """The plots of a paper."""
    return Kind(f"{PLOTS}/{paper}", "draw")


def papers() -> list[str]:
    """Papers that there are plots for, sorted."""
    found = {one.name for folder in source.folders(source.NAME) for one in (folder / PLOTS).glob("*") if one.is_dir()}
    found |= {group.rpartition(".")[2] for group in _groups() if group.startswith(f"{source.NAME}.{PLOTS}.")}
    return sorted(name for name in found if plot(name).names())


def registered(group: str) -> dict[str, list[EntryPoint]]:
    """Entry points of a group by name; more than one where packages collide."""
    found = defaultdict(list)
    for entry in _groups().get(group, ()):
        found[entry.name].append(entry)
    return dict(found)


@cache
def _groups() -> dict[str, list[EntryPoint]]:
    """Entry points of all installed packages for this one, by group."""
    every = entry_points()
    return {group: list(every.select(group=group)) for group in every.groups if group.startswith(f"{source.NAME}.")}


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
        kind = eval(text, dict(VOCABULARY))  # noqa: S307 (source that is going to be imported anyway)
    except (NameError, SyntaxError, TypeError, AttributeError):
        raise ConfigError(f"{where}: {text!r} is not made of the types in {types.__file__}") from None
    try:
        return kind, ... if default is None else ast.literal_eval(default)
    except ValueError:
        raise ConfigError(f"{where}: the default {ast.unparse(default)!r} is not a literal") from None

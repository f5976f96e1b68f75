"""Plug-ins: a name in the configuration is a module in the folder of its kind.

``optimizer: {kind: normalized_gd, step_size: 0.1}`` calls ``step`` of ``optim/normalized_gd.py``. What may be
configured are the keyword-only arguments of that function (``signatures.py``). All this is read from the source, so
that a configuration is checked without importing torch.

A plug-in may also lie in the same folder of ``plugins/`` beside the configuration (``outside.py``), or be a module that
an installed package names by an entry point, in the group that is called as the folder: ``attention_dynamics.optim``.
"""

import ast
import importlib
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attention_dynamics.pipeline import source

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


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
        files = [file for folder in source.folders(source.NAME) for file in source.files(folder / self.folder, "*.py")]
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

    def built_in(self, name: str) -> bool:
        """Whether the plug-in is one of this library, and not from outside."""
        file = self.file(name)
        return file is not None and source.PACKAGE in file.parents

    def load(self, name: str) -> Any:
        """Import the plug-in; returns its module."""
        return importlib.import_module(self.module(name))

    def call(self, name: str) -> Callable:
        """Import the plug-in; returns its function."""
        return getattr(self.load(name), self.function)

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
    return sorted(name for name in {*found, *_registered_papers()} if plot(name).names())


def places() -> list[Kind]:
    """The kinds that entry points may be of: every kind, and the plots of every paper that any are registered for."""
    return [*KINDS, *map(plot, _registered_papers())]


def registered(group: str) -> dict[str, list["EntryPoint"]]:
    """Entry points of a group by name; more than one where packages collide."""
    found = defaultdict(list)
    for entry in _groups().get(group, ()):
        found[entry.name].append(entry)
    return dict(found)


def _registered_papers() -> list[str]:
    prefix = f"{source.NAME}.{PLOTS}."
    return sorted(group.removeprefix(prefix) for group in _groups() if group.startswith(prefix))


@cache
def _groups() -> dict[str, list["EntryPoint"]]:
    """Entry points of all installed packages for this one, by group."""
    # Most jobs get by without entry points, and this takes longer to import than what else they need from here.
    from importlib.metadata import entry_points

    every = entry_points()
    return {group: list(every.select(group=group)) for group in every.groups if group.startswith(f"{source.NAME}.")}


def functions(path: Path) -> dict[str, ast.FunctionDef]:
    """Public functions at the top level of a file."""
    body = source.tree(path).body
    return {node.name: node for node in body if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")}

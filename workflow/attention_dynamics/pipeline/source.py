"""The source of the library, and of plug-ins from outside, as syntax trees, without importing it.

A folder of plug-ins is laid over the package: its ``optim/mine.py`` is the module ``attention_dynamics.optim.mine``.
Where it lies is in the environment, so that jobs find it too.
"""

import ast
import importlib.util
import os
import sys
from collections.abc import Sequence
from functools import cache
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

PACKAGE = Path(__file__).resolve().parents[1]
NAME = PACKAGE.name
LAID_OVER = "ATTENTION_DYNAMICS_PLUGINS"


def laid_over() -> Path | None:
    """The folder that is laid over the package, or None."""
    folder = os.environ.get(LAID_OVER)
    return Path(folder) if folder else None


def folders(package: str) -> tuple[Path, ...]:
    """Folders that hold the modules of a top-level package, of this one or an installed one; none where there is none.

    A module that is no package gives its file without the suffix.
    """
    if package == NAME:
        return (PACKAGE, *filter(None, [laid_over()]))
    return _installed(package)


@cache
def _installed(package: str) -> tuple[Path, ...]:
    found = importlib.util.find_spec(package)
    if found is None:
        return ()
    return tuple(map(Path, found.submodule_search_locations or [str(found.origin).removesuffix(".py")]))


def files(folder: Path, pattern: str) -> list[Path]:
    """The files in a folder that match, sorted; not what editors put beside them, with a dot in front."""
    return sorted(file for file in folder.glob(pattern) if not file.name.startswith("."))


@cache
def read(path: Path) -> bytes:
    """Content of a source file, the same for the whole process."""
    return path.read_bytes()


@cache
def tree(path: Path) -> ast.Module:
    """Syntax tree of a source file. Raises SyntaxError, naming the file."""
    return ast.parse(read(path), filename=str(path))


def module_file(module: str) -> Path | None:
    """File of a module ("attention_dynamics.optim.gd"), or None; one that comes or goes later is not noticed."""
    package, *parts = module.split(".")
    return _first_file(folders(package), *parts)


@cache
def _first_file(roots: tuple[Path, ...], *parts: str) -> Path | None:
    bases = [root.joinpath(*parts) for root in roots]
    files = (file for base in bases for file in (base.with_name(f"{base.name}.py"), base / "__init__.py"))
    return next((file for file in files if file.is_file()), None)


def defines(path: Path, name: str) -> bool:
    """Whether a file defines a function or assigns to a name at its top level."""
    return any(
        getattr(node, "name", None) == name or name in (getattr(t, "id", None) for t in getattr(node, "targets", ()))
        for node in tree(path).body
    )


def constant(module: str, name: str) -> Any:
    """Value of a literal assigned at the top level of a module. Raises LookupError without one."""
    return _literal(module_file(module), module, name)


@cache
def _literal(path: Path, module: str, name: str) -> Any:
    for node in tree(path).body:
        if isinstance(node, ast.Assign) and [getattr(target, "id", None) for target in node.targets] == [name]:
            return ast.literal_eval(node.value)
    raise LookupError(f"{module} defines no {name}")


class LaidOver:
    """Imports modules of this package that are not in it from the folder that is laid over it."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Where the module is, see ``importlib.abc.MetaPathFinder``."""
        package, *parts = name.split(".")
        folder = laid_over()
        if package != NAME or not parts or folder is None:
            return None
        return PathFinder.find_spec(name, [str(folder.joinpath(*parts[:-1]))], target)


# After Python's own finders: what is in the package comes first.
sys.meta_path.append(LaidOver)

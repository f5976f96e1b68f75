"""Settings of plots and statistics: the keyword-only arguments of a function, read from its source.

They are read, not imported, because a configuration is checked at every start and plots import matplotlib. Their
annotations, names from ``types.py`` and ``block_types.py``, are the check.
"""

import ast
import typing
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pydantic import Field

from attention_dynamics import block_types, types
from attention_dynamics.config.errors import ConfigError
from attention_dynamics.registry import NAME, PACKAGE, entry_points, installed, plugin_folder

BUILTINS = {kind.__name__: kind for kind in (bool, dict, float, int, list, str, tuple)}
# With pydantic's Field for bounds that have no name there.
VOCABULARY = {**vars(typing), **vars(types), **vars(block_types), "Field": Field, **BUILTINS, "__builtins__": {}}
FILES = f"{types.__file__} and {Path(block_types.__file__).name}"
STATISTICS = PACKAGE / "claims" / "statistics.py"


def papers() -> list[str]:
    """Return the papers that there are plots for, sorted."""
    found = {folder.name for root in _roots() for folder in (root / "plots").glob("*") if folder.is_dir()}
    prefix = f"{NAME}.plots."
    found |= {group.removeprefix(prefix) for group, _, _ in installed() if group.startswith(prefix)}
    return sorted(paper for paper in found if plot_names(paper))


def plot_names(paper: str) -> list[str]:
    """Return the plots of a paper, sorted: modules that define ``draw``."""
    files = [file for root in _roots() for file in (root / "plots" / paper).glob("[a-z]*.py")]
    return sorted({*(file.stem for file in files if "draw" in functions(file)), *entry_points(f"plots.{paper}")})


def plot_module(paper: str, plot: str) -> str:
    """Return the dotted name of a plot's module."""
    return entry_points(f"plots.{paper}").get(plot, f"{NAME}.plots.{paper}.{plot}")


def plot_file(paper: str, plot: str) -> Path:
    """Return the file of a plot. Raises ConfigError where there is none."""
    for root in _roots():
        if (file := root / "plots" / paper / f"{plot}.py").is_file():
            return file
    found = find_spec(plot_module(paper, plot))
    if found is None or found.origin is None:
        raise ConfigError(f"there is no module {plot_module(paper, plot)}")
    return Path(found.origin)


def _roots() -> tuple[Path, ...]:
    return (PACKAGE, *filter(None, [plugin_folder()]))


def plot_arguments(paper: str, plot: str) -> dict[str, Any]:
    """Return what may be configured of a plot; see ``keyword_arguments``."""
    return keyword_arguments(plot_file(paper, plot), "draw")


def statistics() -> list[str]:
    """Return the names of all statistics of a series."""
    return list(functions(STATISTICS))


def keyword_arguments(path: Path, function: str) -> dict[str, Any]:
    """Return name -> (type, default) of a function's keyword-only arguments, as ``pydantic.create_model`` wants them.

    Raises ConfigError for an argument whose annotation is missing or uses a name that neither file defines, and for a
    default that is not a literal.
    """
    arguments = functions(path)[function].args
    return {
        argument.arg: _read(argument, default, f"{path}: {function}: {argument.arg}")
        for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    }


def constant(path: Path, name: str) -> Any:
    """Return the value of a literal assigned at the top level of a file. Raises LookupError without one."""
    for node in _tree(path).body:
        if isinstance(node, ast.Assign) and [getattr(target, "id", None) for target in node.targets] == [name]:
            return ast.literal_eval(node.value)
    raise LookupError(f"{path} defines no {name}")


def functions(path: Path) -> dict[str, ast.FunctionDef]:
    """Return the public functions at the top level of a file."""
    body = _tree(path).body
    return {node.name: node for node in body if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")}


@cache
def _tree(path: Path) -> ast.Module:
    try:
        return ast.parse(path.read_bytes(), filename=str(path))
    except SyntaxError as error:
        raise ConfigError(f"{path}: line {error.lineno}: {error.msg}") from None
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: cannot be read ({error})") from None


def _read(argument: ast.arg, default: ast.expr | None, where: str) -> tuple[Any, Any]:
    text = ast.unparse(argument.annotation) if argument.annotation else "no annotation"
    try:
        kind = eval(text, dict(VOCABULARY))  # noqa: S307 (source that is going to be imported anyway)
    except (NameError, SyntaxError, TypeError, AttributeError):
        raise ConfigError(f"{where}: {text!r} is not made of the types in {FILES}") from None
    if default is None:
        return kind, ...
    try:
        return kind, ast.literal_eval(default)
    except ValueError:
        raise ConfigError(f"{where}: the default {ast.unparse(default)!r} is not a literal") from None

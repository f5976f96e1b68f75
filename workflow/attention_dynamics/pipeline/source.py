"""The library's own source as syntax trees, without importing it."""

import ast
from functools import cache
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).resolve().parents[1]
NAME = PACKAGE.name


@cache
def tree(path: Path) -> ast.Module:
    """Syntax tree of a source file. Raises SyntaxError, naming the file."""
    return ast.parse(path.read_bytes(), filename=str(path))


def module_file(module: str) -> Path | None:
    """File of a module of this package ("attention_dynamics.optim.gd"), or None where there is none."""
    parts = module.split(".")
    if parts[0] != NAME:
        return None
    base = PACKAGE.joinpath(*parts[1:])
    return next((f for f in (base.with_suffix(".py"), base / "__init__.py") if f.is_file()), None)


def constant(module: str, name: str) -> Any:
    """Value of a literal assigned at the top level of a module of this package. Raises LookupError without one."""
    for node in tree(module_file(module)).body:
        if isinstance(node, ast.Assign) and [getattr(target, "id", None) for target in node.targets] == [name]:
            return ast.literal_eval(node.value)
    raise LookupError(f"{module} defines no {name}")

"""What a stage's results depend on in the code: its script, and all of the library that it imports, directly or not.

The fingerprint is a parameter of the stage's rule, so that Snakemake reruns the stage when it changes. It is taken from
syntax trees without docstrings and positions: comments, docstrings and layout do not count.
"""

import ast
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from attention_dynamics.pipeline import source

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"


def stage_fingerprint(stage: str, spec: Mapping[str, Any]) -> str:
    """Fingerprint of all code that a stage runs for its specification (``specs.Specs``)."""
    return fingerprint(SCRIPTS / f"{stage}.py", tuple(spec.get("modules", [])))


@cache
def fingerprint(script: Path, modules: tuple[str, ...]) -> str:
    """SHA-256 over the closure of a script and of the modules that the configuration names for it."""
    files = closure([script, *_files(modules)])
    digest = hashlib.sha256()
    for name, file in sorted((_name(file, script), file) for file in files):
        digest.update(f"{name} {_digest(file)}\n".encode())
    return digest.hexdigest()


def closure(roots: Iterable[Path]) -> set[Path]:
    """All files of this package that the roots import, the roots included."""
    found, todo = set(), list(roots)
    while todo:
        file = todo.pop()
        if file not in found:
            found.add(file)
            todo.extend(_imports(file))
    return found


@cache
def _imports(file: Path) -> tuple[Path, ...]:
    return _files(name for node in ast.walk(source.tree(file)) for name in _imported_names(node))


def _files(modules: Iterable[str]) -> tuple[Path, ...]:
    """Files that importing the modules runs: importing a.b.c runs a and a.b too."""
    prefixes = {".".join(m.split(".")[:k]) for m in modules for k in range(1, m.count(".") + 2)}
    return tuple(f for f in map(source.module_file, prefixes) if f is not None)


def _imported_names(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        if node.level:
            raise SyntaxError(f"relative import of {node.module or '.'}: write imports in full")
        yield node.module
        yield from (f"{node.module}.{alias.name}" for alias in node.names)


@cache
def _digest(file: Path) -> str:
    tree = source.tree(file)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and _is_docstring(body[0]):
            del body[0]
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest()


def _is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _name(file: Path, script: Path) -> str:
    return file.relative_to(source.PACKAGE).as_posix() if file != script else f"script {script.name}"

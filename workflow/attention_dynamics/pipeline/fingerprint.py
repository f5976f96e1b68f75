"""What a stage's results depend on in the code: its script, and all of the library that it imports, directly or not.

A plug-in from an installed package counts with all that it imports of that package; other packages do not count.

The fingerprint is a parameter of the stage's rule, so that Snakemake reruns the stage when it changes. It is taken from
syntax trees without positions and without texts that stand alone: comments, docstrings and layout do not count.
"""

import ast
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from attention_dynamics.pipeline import source

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"


def stage_fingerprint(spec: Mapping[str, Any]) -> str:
    """Fingerprint of all code that a stage runs for its specification (``specs.Specs``).

    The stage's name is in there, because in another workflow its rule may have another.
    """
    return fingerprint(SCRIPTS / f"{spec['stage']}.py", tuple(spec.get("modules", [])))


@cache
def fingerprint(script: Path, modules: tuple[str, ...]) -> str:
    """SHA-256 over the closure of a script and of the modules that the configuration names for it."""
    digest = hashlib.sha256()
    for name, file in sorted(closure(script, modules).items()):
        code, _ = _digest_and_imports(file)
        digest.update(f"{name} {code}\n".encode())
    return digest.hexdigest()


def closure(script: Path, modules: Iterable[str]) -> dict[str, Path]:
    """Name -> file of the script, the modules, and all that these import of this package and of the modules' own.

    Raises SyntaxError for a file that is none, or imports what it does not name in full.
    """
    packages = frozenset([source.NAME, *(module.split(".")[0] for module in modules)])
    found, todo = {}, [(f"script {script.name}", script), *_files(modules, packages)]
    while todo:
        name, file = todo.pop()
        if name not in found:
            found[name] = file
            todo.extend(_imports(file, packages))
    return found


@cache
def _imports(file: Path, packages: frozenset[str]) -> tuple[tuple[str, Path], ...]:
    _, imported = _digest_and_imports(file)
    return _files(imported, packages)


def _files(modules: Iterable[str], packages: frozenset[str]) -> tuple[tuple[str, Path], ...]:
    """Modules of some packages with the files that importing them runs: importing a.b.c runs a and a.b too."""
    names = {".".join(m.split(".")[:k]) for m in modules for k in range(1, m.count(".") + 2)}
    named = ((name, source.module_file(name)) for name in names if name.split(".")[0] in packages)
    return tuple((name, file) for name, file in named if file is not None)


@cache
def _digest_and_imports(file: Path) -> tuple[str, frozenset[str]]:
    """Digest of a file's code, and the names that it imports.

    In one pass, because ``ast.dump`` and ``ast.walk`` take twice as long, at every start.
    """
    words, imported = [], set()

    def visit(node: Any) -> None:
        if isinstance(node, list):
            words.append("[")
            for one in node:
                visit(one)
            words.append("]")
        elif not isinstance(node, ast.AST):
            words.append(repr(node))
        elif not _is_bare_text(node):
            imported.update(_imported_names(node, file))
            words.append(f"{type(node).__name__}(")
            for field in node._fields:
                visit(getattr(node, field, None))
            words.append(")")

    visit(source.tree(file))
    return hashlib.sha256(" ".join(words).encode()).hexdigest(), frozenset(imported)


def _imported_names(node: ast.AST, file: Path) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        if node.level:
            raise SyntaxError(f"{file}: relative import of {node.module or '.'}: write imports in full")
        yield node.module
        yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _is_bare_text(node: ast.AST) -> bool:
    """Whether this is a text that stands alone as a statement: wherever it does, it does nothing."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)

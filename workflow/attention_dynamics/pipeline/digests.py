"""The digest of a source file's code, and what it imports: without comments, docstrings and layout."""

import ast
import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from attention_dynamics.pipeline import source
from attention_dynamics.pipeline.kept import Kept

KEPT = Kept("digests", Path(__file__).read_bytes())


@cache
def digest_and_imports(file: Path) -> tuple[str, frozenset[str]]:
    """Digest of a file's code, and the names that it imports. Raises SyntaxError for a file that is no Python."""
    digest, imported = KEPT.get(source.read(file), lambda: _taken(file))
    return digest, frozenset(imported)


def _taken(file: Path) -> list:
    """Digest and imports from the syntax tree, without positions and without texts that stand alone.

    In one pass, because ``ast.dump`` and ``ast.walk`` take twice as long.
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
    return [hashlib.sha256(" ".join(words).encode()).hexdigest(), sorted(imported)]


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

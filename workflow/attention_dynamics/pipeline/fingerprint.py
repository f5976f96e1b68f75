"""Fingerprint of the code that a stage's result depends on: its script and the modules that it imports.

The fingerprint is a parameter of the stage's rule, so that Snakemake reruns the stage when it changes. It does not
cover comments, docstrings, layout, logging, start-up code, imports for type checkers, and third-party packages.
The data file of a module, ``<module>.toml`` beside it, counts as a part of the module.
"""

import ast
import hashlib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, TypeGuard

import attention_dynamics
from attention_dynamics.bounded_files import read_bounded
from attention_dynamics.digests import hash_file
from attention_dynamics.registry import NAME, PACKAGE, plugin_folder

# Larger files are refused; the largest module of the library has 30,000 bytes.
MAX_MODULE_BYTES = 10_000_000
SCRIPTS = PACKAGE.parent / "scripts"
# Modules that every job runs but that do not affect its results: they start jobs, write messages, and build components
# from settings that were validated before the job started.
FRAME = tuple(f"{NAME}.{module}" for module in ("choices", "pipeline", "progress", "registry", "types"))


@cache
def stage_fingerprint(stage: str, modules: tuple[str, ...]) -> str:
    """Return a SHA-256 of the code of a stage, and of the modules that its specification names.

    Raises SyntaxError for a file that is not valid Python, or that has relative imports.
    """
    # An installed library has no scripts; its version stands for them and for what they import.
    script = SCRIPTS / f"{stage}.py" if SCRIPTS.is_dir() else None
    digest = hashlib.sha256(stage.encode() if script else f"{stage} {attention_dynamics.__version__}".encode())
    for name, file in sorted(closure(script, modules).items()):
        digest.update(f"{name} {_code_and_imports(file)[0]}\n".encode())
    return digest.hexdigest()


def closure(script: Path | None, modules: Iterable[str]) -> dict[str, Path]:
    """Return name -> file of a script, of modules, and of all that these import from the library and plug-ins.

    Modules of FRAME are left out.
    """
    found: dict[str, Path] = {}
    todo = [*_files(frozenset(modules))]
    if script:
        todo.append((f"script {script.name}", script))
    while todo:
        name, file = todo.pop()
        if name not in found and not in_frame(name):
            found[name] = file
            todo.extend(_files(_code_and_imports(file)[1]))
    return found


def in_frame(module: str) -> bool:
    """Return whether a module is one of FRAME, which do not affect results."""
    return any(module == frame or module.startswith(f"{frame}.") for frame in FRAME)


@cache
def _files(modules: frozenset[str]) -> tuple[tuple[str, Path], ...]:
    """Return (name, file) of the modules that are in the library or its plug-ins, and of their parent packages.

    Parent packages are included, because importing a.b.c also runs a and a.b. Other modules are left out.
    """
    names = {".".join(m.split(".")[:k]) for m in modules for k in range(1, m.count(".") + 2)}
    ours = ((name, module_file(name)) for name in sorted(names) if name.split(".")[0] == NAME)
    return tuple((name, file) for name, file in ours if file is not None)


@cache
def module_file(module: str) -> Path | None:
    """Return the file of a module of the library or of a plug-in, or None.

    The result is cached, so a file that is added or removed later goes unnoticed.
    """
    _, *parts = module.split(".")
    for root in filter(None, [PACKAGE, plugin_folder()]):
        base = root.joinpath(*parts)
        for file in (base.with_name(f"{base.name}.py"), base / "__init__.py"):
            if file.is_file():
                return file
    return None


@cache
def _code_and_imports(file: Path) -> tuple[str, frozenset[str]]:
    """Return the SHA-256 of a module and the names that it imports.

    The SHA-256 is of its syntax tree without positions and docstrings, and of its data file, if it has one.
    """
    words: list[str] = []
    imported: set[str] = set()

    # In one pass: ``ast.dump`` and ``ast.walk`` take three times as long, and every start does this for all files.
    def visit(node: Any) -> None:
        kind = type(node)
        if kind is list:
            for one in node:
                visit(one)
            words.append("]")
        elif not isinstance(node, ast.AST):
            words.append(repr(node))
        elif kind is ast.If and _is_for_type_checkers(node):
            visit(node.orelse)
        elif kind is not ast.Expr or not _is_text(node):
            if kind is ast.Import or kind is ast.ImportFrom:
                imported.update(_imported_names(node, file))
            words.append(kind.__name__)
            for name in kind._fields:
                visit(getattr(node, name, None))

    source = read_bounded(file, MAX_MODULE_BYTES)
    if b"\0" in source:
        raise SyntaxError(f"{file}: has null bytes")
    try:
        visit(ast.parse(source, filename=str(file)))
    except (RecursionError, MemoryError):
        raise SyntaxError(f"{file}: its expressions are too deep within each other") from None
    if (data := file.with_suffix(".toml")).is_file():
        words.append(hash_file(data))
    return hashlib.sha256(" ".join(words).encode()).hexdigest(), frozenset(imported)


def _imported_names(node: ast.AST, file: Path) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        if node.level or node.module is None:
            raise SyntaxError(f"{file}: relative import of {node.module or '.'}: write the full name of the module")
        yield node.module
        yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _is_text(node: ast.AST) -> bool:
    """Return whether a node is a docstring, or any other string that stands alone as a statement."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _is_for_type_checkers(node: ast.AST) -> TypeGuard[ast.If]:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"

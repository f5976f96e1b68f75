"""Imports point one way, and the science is quick to import."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from attention_dynamics.registry import NAME, PACKAGE

# Modules import from their own layer and those before it.
LAYERS = (
    {
        "__init__", "bounded_files", "choices", "csv_table", "digests", "markdown_table", "progress", "registry",
        "store", "types",
    },
    {
        "training", "problems", "scaling", "attention", "optim", "margins", "regularization", "sequences", "theory",
        "deep",
    },
    {"series"},
    {"run"},
    {"measures"},
    {"compute"},
    {"claims", "plots", "comparison"},
    {"papers"},
    {"gallery", "config"},
    {"pipeline"},
)  # fmt: skip
LAYER_OF = {name: number for number, layer in enumerate(LAYERS) for name in layer}
LIGHT = ("attention", "optim", "margins", "regularization", "theory", "measures", "problems", "sequences")
HEAVY = {"torch", "snakemake", "matplotlib", "pandas", "seaborn", "sklearn", "transformers"}


def part(module: str) -> str:
    """Return the part of the package that a module belongs to."""
    return [*module.split("."), "__init__"][1]


def running_imports(node: ast.AST) -> Iterator[str]:
    """Names that a module imports, without those for type checkers alone."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and getattr(child.test, "id", None) == "TYPE_CHECKING":
            continue
        if isinstance(child, ast.Import):
            yield from (alias.name for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            names = [f"{NAME}.{alias.name}" for alias in child.names]
            yield from names if child.module == NAME else [str(child.module)]
        yield from running_imports(child)


@pytest.mark.parametrize("name", sorted(LAYER_OF))
def test_imports_point_one_way(name):
    files = [PACKAGE / f"{name}.py"] if (PACKAGE / f"{name}.py").exists() else sorted((PACKAGE / name).rglob("*.py"))
    assert files
    wrong = [
        f"{file.relative_to(PACKAGE)} imports {module}"
        for file in files
        for module in running_imports(ast.parse(file.read_text()))
        if module.split(".")[0] == NAME and LAYER_OF[part(module)] > LAYER_OF[name]
    ]
    assert wrong == []


def test_every_module_has_layer():
    parts = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert parts == set(LAYER_OF)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("backend", "imported"),
    [
        ("module://matplotlib_inline.backend_inline", "agg"),
        ("module://", "agg"),
        ("nonsense", "agg"),
        ("tkagg", "agg"),
        # A module that is there, as in the process of a notebook.
        ("module://matplotlib.backends.backend_svg", "module://matplotlib.backends.backend_svg"),
    ],
)
def test_drawing_can_be_imported_with_any_backend(backend, imported):
    code = "import attention_dynamics.papers.fast_rates.dynamics, matplotlib; print(matplotlib.rcParams['backend'])"
    environment = {"PYTHONPATH": str(Path(PACKAGE).parent), "MPLBACKEND": backend}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == imported


@pytest.mark.slow
@pytest.mark.parametrize("package", LIGHT)
def test_science_imports_nothing_heavy(package):
    files = (PACKAGE / package).rglob("*.py")
    modules = [".".join((NAME, *file.relative_to(PACKAGE).with_suffix("").parts)) for file in files]
    code = f"import importlib, sys\nfor name in {sorted(modules)!r}: importlib.import_module(name)\nprint(*sys.modules)"
    environment = {"PYTHONPATH": str(Path(PACKAGE).parent)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert HEAVY & set(done.stdout.split()) == set()

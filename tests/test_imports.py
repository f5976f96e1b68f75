"""Imports point one way and in no circle, and the science is quick to import."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from attention_dynamics.plots.plot import plot_module
from attention_dynamics.registry import NAME, PACKAGE
from helpers.published_config import published_config

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
    {"config"},
    {"pipeline"},
    {"gallery"},
)  # fmt: skip
LAYER_OF = {name: number for number, layer in enumerate(LAYERS) for name in layer}
SCRIPTS = PACKAGE / "gallery" / "templates" / "explore"


def part(module: str) -> str:
    """Return the part of the package that a module belongs to."""
    return [*module.split("."), "__init__"][1]


def running_imports(node: ast.AST) -> Iterator[str]:
    """Yield the names that a module imports, without those for type checkers alone: of modules, or within modules."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and getattr(child.test, "id", None) == "TYPE_CHECKING":
            continue
        if isinstance(child, ast.Import):
            yield from (alias.name for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            yield from (f"{child.module}.{alias.name}" for alias in child.names)
        yield from running_imports(child)


def imported_modules(file: Path) -> set[str]:
    """Return the modules of the package that one of its modules imports when it runs."""
    names = {name for name in running_imports(ast.parse(file.read_text())) if name.split(".")[0] == NAME}
    return {name if name in MODULES else name.rpartition(".")[0] for name in names}


def find_circle(imports: Mapping[str, set[str]]) -> list[str]:
    """Return the names in a circle of imports, or none."""
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


MODULES = {
    ".".join((NAME, *file.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__"): file
    for file in PACKAGE.rglob("*.py")
}


@cache
def imports() -> dict[str, set[str]]:
    """Return the modules of the package that each of them imports."""
    return {module: imported_modules(file) for module, file in MODULES.items()}


@pytest.mark.parametrize("name", sorted(LAYER_OF))
def test_imports_point_one_way(name):
    mine = [module for module in MODULES if part(module) == name]
    assert mine
    wrong = [
        f"{module} imports {other}"
        for module in mine
        for other in imports()[module]
        if LAYER_OF[part(other)] > LAYER_OF[name]
    ]
    assert wrong == []


def test_python_modules_import_in_no_circle():
    assert find_circle(imports()) == []


def test_scripts_import_in_no_circle():
    imports = {
        file.name: set(re.findall(r'^import\b[^"]*"\./(\w+\.js)"', file.read_text(), re.MULTILINE))
        for file in SCRIPTS.glob("*.js")
    }
    assert imports["main.js"] > {"frame.js", "refresh.js"}
    assert find_circle(imports) == []


def test_circle_is_found():
    assert find_circle({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c", "b"]
    assert find_circle({"a": {"b", "c"}, "b": {"c"}}) == []


def test_drawings_import_no_claims():
    papers = published_config().papers.values()
    drawings = {plot_module(block.plot.kind).__name__ for paper in papers for block in paper.figures.values()}
    reached, new = set(), drawings
    while new:
        reached |= new
        new = set().union(*(imports()[module] for module in new)) - reached
    assert {module for module in reached if part(module) == "claims" or module.endswith("_claims")} == set()


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

"""Imports point one way and in no circle, and heavy packages are imported only where they are needed."""

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
from attention_dynamics.problems.stored import DATA
from attention_dynamics.registry import NAME, PACKAGE
from helpers.published_config import CONFIG_FOLDER, published_config

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


HEAVY = {
    "cvxpy", "matplotlib", "numba", "pandas", "PIL", "pooch", "safetensors", "seaborn", "sklearn", "snakemake", "torch",
    "transformers",
}  # fmt: skip
VIT = {"kind": "vit", "patch": 2, "dim": 8, "depth": 1, "heads": 2, "mlp": 8}
IMAGES = {
    "kind": "image_training", "network": VIT, "deep_optimizer": {"kind": "sgd", "lr": [0.1, 0.2]}, "batch_size": 8,
    "epochs": 3,
}  # fmt: skip
MNLI = {"kind": "texts", "dataset": "mnli", "length": 9, "vocabulary": "bert-base-uncased"}
NETWORKS = ["networks", "optim", "problems", "tasks"]
NETWORKS += [f"datasets.{name}" for name in ("images", "texts", "sources", "published_bert", "tokens")]
OTHER_DATA = {place.partition(":")[0] for kind, place in DATA.items() if kind not in ("vocabulary", "tokens")}


def modules_of(package: str) -> list[str]:
    """Return the modules in a folder of the package."""
    return [name for name in MODULES if name.rpartition(".")[0] == f"{NAME}.{package}"]


def check_training(training: str | dict, problem: dict) -> str:
    """Return code that reads the settings of a training and of its problem, and checks that they fit."""
    return f"""from attention_dynamics.problems.source import ProblemSource
from attention_dynamics.training import Training
training = Training.of({training!r})
training.check(ProblemSource.of({problem}).shape)
training.columns(None), training.sizes, training.model_dump_json()"""


# Code that trains networks and restores the state of their optimizers.
TRAINING_ON_CPU = f"""import torch
from attention_dynamics.deep.problems import ImageSource
from attention_dynamics.deep.tasks import ImageTraining
for kind in ("adam", "sgd"):
    optimizer = {{"kind": kind, "lr": 0.1}}
    training = ImageTraining(network={VIT}, deep_optimizer=optimizer, batch_size=8, epochs=1, seeds=[0])
    training.train(ImageSource(dataset="mnist", train=16, test=8).build())
    optimizer = training.deep_optimizer.build([torch.nn.Parameter(torch.zeros(1))], 1)
    optimizer.load_state_dict(optimizer.state_dict())"""


# Code by what it is about, and the modules that it must not import: every start waits for what a configuration needs.
LIGHT = {
    "margins": (
        "\n".join(f"import {module}" for module in modules_of("margins")),
        HEAVY | {"scipy.linalg", "scipy.optimize", "scipy.special"},
    ),
    "measures": ("\n".join(f"import {module}" for module in modules_of("measures")), HEAVY),
    "networks": ("\n".join(f"import {NAME}.deep.{module}" for module in NETWORKS), HEAVY),
    "training on images": (check_training(IMAGES, {"kind": "images", "dataset": "mnist"}), HEAVY),
    "published weights": (check_training("published_weights", MNLI), HEAVY),
    "training on the CPU": (TRAINING_ON_CPU, {"torch._dynamo"}),
    "sequences": (
        "from attention_dynamics.sequences import classes, sampling, sequence_training, token_composition\n"
        "sampling.draw(classes.published_classes(num_last=1, num_next_per_last=1), seed=0, steps=1, mode='fast')",
        {"torch"},
    ),
    "stored data": (
        "import numpy as np; from attention_dynamics.problems import stored\n"
        "stored.from_arrays({'kind': np.array('vocabulary'), 'M': np.ones(1), 'K': np.ones(1)})",
        HEAVY | OTHER_DATA | {"scipy"},
    ),
    "optimizer": (
        "from attention_dynamics.optim.optimizer import Optimizer; Optimizer.of({'kind': 'gd', 'step_size': 1.0})",
        HEAVY | {*modules_of("optim")} - {f"{NAME}.optim.{module}" for module in ("gd", "gradient", "optimizer")},
    ),
    "configuration": (
        "from pathlib import Path; from attention_dynamics.config.load import load_config\n"
        f"load_config(Path({str(CONFIG_FOLDER)!r}), {{}})",
        # Modules of drawings are imported, which check their settings.
        HEAVY - {"matplotlib", "PIL"} | {"scipy.integrate", "scipy.special"},
    ),
}


def printed_by(code: str, **environment: str) -> str:
    """Return what code prints in a process of its own."""
    environment |= {"PYTHONPATH": str(PACKAGE.parent)}
    command = [sys.executable, "-c", code]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout


@pytest.mark.slow
@pytest.mark.parametrize("name", LIGHT)
def test_heavy_packages_and_unneeded_modules_are_not_imported(name):
    code, unwanted = LIGHT[name]
    assert not unwanted & set(printed_by(f"{code}\nimport sys\nprint(*sys.modules)").split())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("backend", "imported"),
    [
        ("module://matplotlib_inline.backend_inline", "agg"),
        ("nonsense", "agg"),
        ("tkagg", "agg"),
        # A module that is there, as in the process of a notebook.
        ("module://matplotlib.backends.backend_svg", "module://matplotlib.backends.backend_svg"),
    ],
)
def test_drawing_can_be_imported_with_any_backend(backend, imported):
    code = "import attention_dynamics.papers.fast_rates.dynamics, matplotlib; print(matplotlib.rcParams['backend'])"
    assert printed_by(code, MPLBACKEND=backend).strip() == imported

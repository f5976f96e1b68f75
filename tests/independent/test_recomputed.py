"""The independent computations of this folder: what they import, and that they give the numbers that the figures are
compared with (``papers/<paper>/*_expected.csv``).

    python tests/independent/max_margin.py      writes the files of a paper anew
"""

import ast
import csv
import importlib.util
import sys
from pathlib import Path

import pytest

from attention_dynamics.registry import PACKAGE

HERE = Path(__file__).parent
PAPERS = sorted(file.stem for file in HERE.glob("*.py") if not file.stem.startswith("test_"))
COLUMNS = ("figure", "run", "series", "start", "step", "statistic")
RUN = COLUMNS.index("run")
ALLOWED = {*sys.stdlib_module_names, "numpy", "scipy", "cvxopt", "mpmath", "yaml", "torch"}


def load(paper: str):
    """The module of a paper, which is no part of a package."""
    spec = importlib.util.spec_from_file_location(f"independent_{paper}", HERE / f"{paper}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def rows_of(paper: str) -> list[tuple[str, ...]]:
    """All columns but the number, its tolerance and its source, of the rows of all files of a paper."""
    files = sorted(PACKAGE.glob(f"papers/{paper}/*_expected.csv"))
    return [about(row) for file in files for row in csv.DictReader(file.read_text().splitlines())]


def about(row: dict[str, str]) -> tuple[str, ...]:
    return tuple(row[name] for name in COLUMNS)


def compare(paper: str, chosen: set[tuple[str, ...]]) -> None:
    """Recompute rows and compare them with the files; other processors may change a tenth of the tolerance."""
    expected = {
        about(row): row
        for file in PACKAGE.glob(f"papers/{paper}/*_expected.csv")
        for row in csv.DictReader(file.read_text().splitlines())
    }
    found = load(paper).compute(lambda row: about(row) in chosen)
    assert {about(row) for row in found} == chosen
    for row in found:
        there = expected[about(row)]
        difference = abs(float(row["value"]) - float(there["value"]))
        assert difference <= max(0.1 * float(there["within"]), 1e-9 * abs(float(there["value"]))), about(row)


@pytest.mark.parametrize("paper", PAPERS)
def test_computation_imports_nothing_of_library(paper):
    tree = ast.parse((HERE / f"{paper}.py").read_text())
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name.partition(".")[0] for name in names} <= ALLOWED


@pytest.mark.slow
@pytest.mark.parametrize("paper", PAPERS)
def test_a_number_of_every_third_run_is_recomputed(paper):
    """`make test-long` recomputes all numbers."""
    rows = rows_of(paper)
    runs = list(dict.fromkeys(row[RUN] for row in rows))
    by_run = [[row for row in rows if row[RUN] == run] for run in runs[::3]]
    compare(paper, {of_run[k % len(of_run)] for k, of_run in enumerate(by_run)})


@pytest.mark.long
@pytest.mark.parametrize("paper", PAPERS)
def test_all_numbers_are_recomputed(paper):
    compare(paper, set(rows_of(paper)))

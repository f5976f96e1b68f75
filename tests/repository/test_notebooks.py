"""Notebooks of the documentation run without Jupyter, and the numbers in their text are those that they compute."""

import re
from functools import cache
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest

from attention_dynamics.optim.optimizer import Optimizer
from conftest import ROOT

pytestmark = pytest.mark.slow

NOTEBOOKS = sorted((ROOT / "docs/notebooks").glob("*.md"))
CELL = re.compile(r"^```\{code-cell\}.*\n((?::.*\n)*)((?:.*\n)*?)^```$", re.MULTILINE)


@cache
def run(name: str) -> dict[str, Any]:
    """Execute the code cells of a notebook one after the other; return its variables."""
    text = (ROOT / "docs/notebooks" / f"{name}.md").read_text()
    variables: dict[str, Any] = {"__name__": f"notebook_{name}"}
    cells = [match[2] for match in CELL.finditer(text)]
    assert cells
    for number, cell in enumerate(cells):
        exec(compile(cell, f"{name}.md, cell {number}", "exec"), variables)
    plt.close("all")
    return variables


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda notebook: notebook.stem)
def test_notebook_runs(notebook):
    text = notebook.read_text()
    assert len(CELL.findall(text)) == text.count("```{code-cell}")
    assert run(notebook.stem)


def test_library_notebook_numbers():
    variables = run("library")
    run_of_digits, problem = variables["run"], variables["problem"]
    selected = run_of_digits.references["selected"]
    assert (selected["selected"][0] == problem.optimal[0]).sum() == 4
    assert selected["locally_optimal"][0]
    assert run_of_digits.series["correlation_selected"][-1].item() > 0.999
    slow = variables["runs"]["gradient descent"]
    assert slow.series["softmax_selected"][-1].item() < 0.6
    assert np.isnan(slow.series["correlation_selected"][-1]).all()
    last = {name: np.median(cosines[-1]) for name, cosines in variables["cosines"].items()}
    assert last["normalized"] > 0.999 > last["gradient descent"]


def test_certified_notebook_numbers():
    variables = run("certified")
    assert variables["upper"] - variables["lower"] <= 1e-8 * variables["upper"]
    assert variables["solution"].duals[2] == 0
    assert variables["inside"].residual <= 1e-8


def test_own_optimizer_notebook_numbers():
    variables = run("own_optimizer")
    results, tuned = variables["results"], variables["tuned"].set_index(["problem", "optimizer"])
    assert results["normalized_gd", 1.0][1] > 0.99
    assert results["sign_descent", 1.0][0] < 1 == results["sign_descent", 0.1][0]
    assert max(results["sign_descent", step][1] for step in (1.0, 0.1)) < 0.97
    norms = tuned["nearest_norm"].unstack("problem")
    assert (norms.loc["NGD"] == 2).all()
    assert (norms.loc["sign descent"] > 2).all()
    # Classes of a notebook stay out of the registry.
    with pytest.raises(ValueError, match="sign_descent"):
        Optimizer.of("sign_descent")


def test_own_figure_notebook_numbers():
    row = run("own_figure")["row"]
    assert (row["measured"], row["verdict"]) == ("0.25", "fails")

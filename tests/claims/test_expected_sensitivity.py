"""Expected numbers notice a step size, an arithmetic or a solver that is slightly off."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from attention_dynamics.claims.expected import compare, expected_file, read_expected
from attention_dynamics.compute import compute_run
from attention_dynamics.run import Run, Runs
from helpers.published_config import published_config

pytestmark = pytest.mark.slow

# A run of each figure whose expected numbers are quick to compute.
RUNS = [
    ("max_margin", "fig1", "single_global"),
    ("max_margin", "fig1", "several"),
    ("max_margin", "fig3", "joint_all"),
    ("max_margin", "fig4", "constant_step"),
    ("max_margin", "fig4", "normalized_step"),
    ("fast_rates", "fig2", "ngd"),
    ("mirror_descent", "ext_guard_freeze", "exact_2"),
    ("mirror_descent", "fig_direction", "direction_2"),
    ("mirror_descent", "fig_joint", "joint_2"),
]


def compute(paper: str, name: str, **changes) -> Run:
    """A run of the configuration, with changed settings of its training."""
    content = published_config().papers[paper]
    run = content.runs[name]
    problem = content.problems[run.problem]
    return compute_run(
        problem.source.build(), run.training.model_copy(update=changes), measures=run.measures.values(),
        references=problem.references, own_references=run.references, saturated=run.saturated,
    )  # fmt: skip


def verdict(paper: str, file: str, name: str, run: Run) -> str:
    """The verdict on the expected numbers of one run."""
    rows = read_expected(expected_file(paper, file) or Path())
    return compare([row for row in rows if row.run == name], Runs({name: run})).verdict()


@pytest.mark.parametrize(("paper", "file", "name"), RUNS)
def test_step_size_that_is_slightly_off_is_noticed(paper, file, name):
    assert verdict(paper, file, name, compute(paper, name)) == "holds"
    optimizer = published_config().papers[paper].runs[name].training.optimizer
    longer = optimizer.model_copy(update={"step_size": 1.001 * optimizer.step_size})
    assert verdict(paper, file, name, compute(paper, name, optimizer=longer)) == "fails"


@pytest.mark.parametrize(("paper", "file", "name"), [RUNS[0], RUNS[4], RUNS[5], RUNS[6]])
def test_gradient_with_cancellation_is_noticed(paper, file, name):
    assert verdict(paper, file, name, compute(paper, name, precision="float64")) == "fails"


@pytest.mark.parametrize(("paper", "file", "name"), [RUNS[1], RUNS[2], RUNS[5], RUNS[6], RUNS[8]])
def test_solver_that_is_slightly_off_is_noticed(paper, file, name, monkeypatch):
    def shake(solve):
        def shaken(*arguments, **settings):
            found = solve(*arguments, **settings)
            noise = np.random.default_rng(0).standard_normal(np.shape(found.weights))
            size = np.linalg.norm(found.weights) / np.linalg.norm(noise)
            return dataclasses.replace(found, weights=found.weights + 1e-4 * size * noise)

        return shaken

    content = published_config().papers[paper]
    run = content.runs[name]
    for reference in {
        type(one) for one in [*content.problems[run.problem].references.values(), *run.references.values()]
    }:
        monkeypatch.setattr(reference, "solve", shake(reference.solve))
    assert verdict(paper, file, name, compute(paper, name)) == "fails"

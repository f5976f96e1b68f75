"""Iterations to forget the start of Fast rates: against plain arithmetic."""

import numpy as np
import pytest

from attention_dynamics.compute import compute_run
from attention_dynamics.margins.attention_svm import AttentionSVM
from attention_dynamics.papers.fast_rates.ext_stepsize import steps_to_forget
from attention_dynamics.problems.nearly_orthogonal import NearlyOrthogonal
from attention_dynamics.training import Training

OPTIMIZERS = {
    "gd": {"kind": "gd", "step_size": 2.0},
    "ngd": {"kind": "normalized_gd", "step_size": 0.3},
    "polyak": {"kind": "polyak", "c": 3.0},
}


def trained(name):
    problem = NearlyOrthogonal(seeds=[0, 7], n=4, T=3, d=20, start_norms=[1, 5]).build()
    settings = {"kind": "gradient_descent", "model": "self_attention", "loss": "logistic", "steps": 4}
    training = Training.of({**settings, "optimizer": OPTIMIZERS[name], "start": {"W": {"of_problem": [0, 1]}}})
    return compute_run(problem, training, references={"w_mm": AttentionSVM()})


@pytest.fixture(scope="module")
def runs():
    return {name: trained(name) for name in OPTIMIZERS}


@pytest.mark.parametrize("name", ["ngd", "polyak"])
def test_steps_to_forget_lead_to_cosine_at_level(runs, name):
    run, level = runs[name], 0.97
    steps = steps_to_forget(run, "w_mm", level)
    for k, start in np.ndindex(steps.shape):
        solved = run.references["w_mm"]
        unit, length = solved["direction"][k], solved["norm"][k]
        initial = run.trajectory["W"][0, k, start]
        across = initial - (initial @ unit) * unit
        across *= np.linalg.norm(initial) / np.linalg.norm(across)
        step = 0.3 if name == "ngd" else length / 3.0
        W = across + steps[k, start] * step * unit
        assert W @ unit / np.linalg.norm(W) == pytest.approx(level, rel=1e-12)


def test_steps_to_forget_refuse_gd(runs):
    with pytest.raises(ValueError, match="steps of gd have no constant length"):
        steps_to_forget(runs["gd"], "w_mm", 0.99)

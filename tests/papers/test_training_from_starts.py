"""Iterations to forget the start, and falls of the loss, of Fast rates: against plain and many-digit arithmetic."""

from dataclasses import replace

import mpmath
import numpy as np
import pytest

from attention_dynamics.compute import compute_run
from attention_dynamics.margins.attention_svm import AttentionSVM
from attention_dynamics.measures.rates import Rates
from attention_dynamics.papers.fast_rates.ext_init_iterations import steps_to_forget
from attention_dynamics.papers.fast_rates.ext_monotone_loss import falls, late_falls
from attention_dynamics.problems.nearly_orthogonal import NearlyOrthogonal
from attention_dynamics.training import Training

OPTIMIZERS = {
    "gd": {"kind": "gd", "step_size": 2.0},
    "ngd": {"kind": "normalized_gd", "step_size": 0.3},
    "polyak": {"kind": "polyak", "c": 3.0},
}
NAMES = pytest.mark.parametrize("name", OPTIMIZERS)


def trained(name, steps=4, **more):
    problem = NearlyOrthogonal(seeds=[0, 7], n=4, T=3, d=20, start_norms=[1, 5]).build()
    settings = {"kind": "gradient_descent", "model": "self_attention", "loss": "logistic", "steps": steps, **more}
    training = Training.of({**settings, "optimizer": OPTIMIZERS[name], "start": {"p": {"of_problem": [0, 1]}}})
    return compute_run(problem, training, references={"w_mm": AttentionSVM()}, measures=[Rates()])


@pytest.fixture(scope="module")
def runs():
    return {name: trained(name) for name in OPTIMIZERS}


def exact_log_gap(problem, k, W):
    """ln(L - inf L) in 60 digits, as the definitions write it; the infimum has all scores of one."""
    losses = []
    for i in range(problem.keys.shape[1]):
        weights = [mpmath.exp(mpmath.fdot(key.tolist(), W.tolist())) for key in problem.keys[k, i]]
        scores = problem.scores()[k, i].tolist()
        margin = mpmath.fdot(weights, scores) / mpmath.fsum(weights)
        losses.append(mpmath.log1p(mpmath.exp(-margin)) - mpmath.log1p(mpmath.exp(-max(scores))))
    return mpmath.log(mpmath.fsum(losses) / len(losses))


@NAMES
def test_falls_agree_with_many_digits(runs, name):
    run = runs[name]
    found = falls(run)
    with mpmath.workdps(60):
        for step, k, start in np.ndindex(found.shape):
            here, there = (exact_log_gap(run.problem, k, run.trajectory["p"][t, k, start]) for t in (step, step + 1))
            assert found[step, k, start] == pytest.approx(float(here - there), rel=1e-8)


@NAMES
def test_late_falls_are_those_after_many_iterations(name):
    run = trained(name, steps=3000 if name == "gd" else 400)
    np.testing.assert_allclose(falls(run)[-1, :, 0], late_falls(run, "w_mm")[-1], rtol=0.06)


def test_falls_need_record_of_every_iteration():
    with pytest.raises(ValueError, match="a record of every iteration"):
        falls(trained("gd", steps=20, record_every=2))


@pytest.mark.parametrize("name", ["ngd", "polyak"])
def test_steps_to_forget_lead_to_cosine_at_level(runs, name):
    run, level = runs[name], 0.97
    steps = steps_to_forget(run, "w_mm", level)
    for k, start in np.ndindex(steps.shape):
        solved = run.references["w_mm"]
        unit, length = solved["direction"][k], solved["norm"][k]
        initial = run.trajectory["p"][0, k, start]
        across = initial - (initial @ unit) * unit
        across *= np.linalg.norm(initial) / np.linalg.norm(across)
        step = 0.3 if name == "ngd" else length / 3.0
        W = across + steps[k, start] * step * unit
        assert W @ unit / np.linalg.norm(W) == pytest.approx(level, rel=1e-12)


def test_steps_to_forget_refuse_gd(runs):
    with pytest.raises(ValueError, match="steps of gd have no constant length"):
        steps_to_forget(runs["gd"], "w_mm", 0.99)


def test_falls_are_negative_where_loss_rises_once(runs):
    run = runs["ngd"]
    series = {**run.series, "log_gap": run.series["log_gap"].copy()}
    series["log_gap"][2, 1, 0] = series["log_gap"][1, 1, 0] + 1e-9
    assert falls(replace(run, series=series)).min() < 0 < falls(run).min()

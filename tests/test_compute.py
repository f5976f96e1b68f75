"""A run computed in memory is the run that the workflow's stages compute."""

import numpy as np

from attention_dynamics.attention.gradient_descent import GradientDescent
from attention_dynamics.compute import compute_run
from attention_dynamics.margins.attention_svm import AttentionSVM
from attention_dynamics.margins.references import solve_references
from attention_dynamics.measures.correlation import Correlation
from attention_dynamics.measures.norm import Norm
from attention_dynamics.optim.normalized_gd import NormalizedGD
from attention_dynamics.problems.random_sphere import RandomSphere

PROBLEM = RandomSphere(trials=3, n=3, T=4, d=6, seed=1).build()
TRAINING = GradientDescent(
    model="prompt_attention", loss="logistic", optimizer=NormalizedGD(step_size=0.5), start={"p": [[0.0]]}, steps=400
)


def test_compute_run_solves_trains_and_measures():
    run = compute_run(
        PROBLEM, TRAINING, measures=[Norm(), Correlation()], references={"gmm": AttentionSVM()},
        own_references={"selected": AttentionSVM()}, saturated=0.999,
    )  # fmt: skip
    np.testing.assert_array_equal(run.trajectory["p"], TRAINING.train(PROBLEM)["p"])
    solved = solve_references(PROBLEM, {"gmm": AttentionSVM()})
    np.testing.assert_array_equal(run.references["gmm"]["direction"], solved["references/gmm/direction"])
    np.testing.assert_allclose(run.series["norm_p"], np.linalg.norm(run.trajectory["p"], axis=-1))
    # Training goes to the direction of the tokens that it selects.
    assert (run.series["correlation_selected"][-1][run.references["selected"]["feasible"]] > 0.99).all()
    assert run.references["selected"]["feasible"].any()

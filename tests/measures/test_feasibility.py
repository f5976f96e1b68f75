"""Feasibility of ATT-SVM (Max-margin Lemmas 2 and 11): against linear programming, and by hand."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.optimize

from attention_dynamics.attention.untrained import Untrained
from attention_dynamics.compute import compute_run
from attention_dynamics.margins.attention_svm import AttentionSVM
from attention_dynamics.measures.feasibility import Feasibility
from attention_dynamics.problems.equal_labels import EqualLabels
from attention_dynamics.problems.random_sphere import RandomSphere
from attention_dynamics.problems.scored_tokens import ScoredTokens

SIZE = {"trials": 25, "n": 3, "T": 4, "d": [2, 4], "seed": 5}


def measure_feasibility(problem, **settings):
    measures = [Feasibility(reference="gmm", **settings)]
    return compute_run(problem, Untrained(), references={"gmm": AttentionSVM()}, measures=measures)


def differences(problem, k):
    keys, best = problem.keys[k], problem.optimal[k]
    rows = keys[np.arange(len(keys)), best][:, None] - keys
    return rows[np.arange(keys.shape[1]) != best[:, None]]


@pytest.mark.parametrize("source", [RandomSphere, EqualLabels])
def test_feasibility_agrees_with_linear_programming(source):
    problem = source(**SIZE).build()
    run = measure_feasibility(problem)
    for k in range(len(problem.labels)):
        A = differences(problem, k)
        answer = scipy.optimize.linprog(np.zeros(A.shape[1]), A_ub=-A, b_ub=-np.ones(len(A)), bounds=(None, None))
        assert run.series["feasible"][0, k, 0] == (answer.status == 0)


def test_equal_labels_keep_same_draw():
    drawn, equal = RandomSphere(**SIZE).build(), EqualLabels(**SIZE).build()
    np.testing.assert_array_equal(drawn.tokens, equal.tokens)
    np.testing.assert_array_equal(drawn.head, equal.head)
    assert (equal.labels == 1).all()
    assert not (drawn.labels == 1).all()
    np.testing.assert_array_equal(equal.optimal, equal.scores().argmax(-1))


def test_witness_meets_constraints_only_with_equal_labels():
    equal, random = (
        measure_feasibility(source(**SIZE).build()).series["witness_margin"] for source in (EqualLabels, RandomSphere)
    )
    np.testing.assert_allclose(equal, 1, atol=1e-12)
    assert random.min() < 0


def test_witness_accounts_for_key_weights():
    """Keys W x with W = diag(1, 1, 0) do not see the score, so that Lemma 2's condition on W fails."""
    inputs = [{"tokens": [[1, 0], [0, 1]], "scores": [1, 0], "label": 1}]
    assert measure_feasibility(ScoredTokens(inputs=inputs).build()).series["witness_margin"][0, 0, 0] == 0
    problem = EqualLabels(**SIZE).build()
    W = np.random.default_rng(0).standard_normal((4, 4))
    np.testing.assert_allclose(
        measure_feasibility(replace(problem, key_weights=W)).series["witness_margin"], 1, atol=1e-9
    )


def test_locally_optimal_selection_found_by_hand_exists():
    # (1, 0) is optimal and separable; on a line with the better token in the middle nothing is locally optimal.
    easy = ScoredTokens(inputs=[{"tokens": [[1, 0], [0, 0]], "scores": [1, 0], "label": 1}]).build()
    middle = ScoredTokens(inputs=[{"tokens": [[1, 0], [0, 0], [-1, 0]], "scores": [0, 1, 0], "label": 1}]).build()
    for problem, exists in ((easy, 1), (middle, 0)):
        run = compute_run(problem, Untrained(), references={"gmm": AttentionSVM(select=(0,))},
                          measures=[Feasibility(reference="gmm", enumerate=True)])  # fmt: skip
        assert run.series["lmm_exists"].ravel() == [exists]

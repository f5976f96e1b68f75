"""ATT-SVM' with the higher-scoring neighbors among the optimal tokens: by hand, and against exhaustive search."""

import itertools

import numpy as np
import pytest
import scipy.optimize

from attention_dynamics.margins.attention_svm import AttentionSVM
from attention_dynamics.margins.max_margin import Infeasible
from attention_dynamics.margins.near_tied_svm import NearTiedSVM
from attention_dynamics.problems.random_sphere import RandomSphere
from attention_dynamics.problems.scored_tokens import ScoredTokens


def one_input(scores):
    inputs = [{"tokens": [[1, 0], [0, 1], [-1, -1]], "scores": scores, "label": 1}]
    return ScoredTokens(inputs=inputs).build()


def test_higher_scoring_neighbor_is_not_separated():
    # Selecting (1, 0): ATT-SVM has both others as neighbors, and (0, 1) scores more.
    problem = one_input([0.5, 1, 0])
    strict = AttentionSVM(select=(0,)).solve(problem, 0)
    np.testing.assert_allclose(strict.weights, [2 / 3, -1 / 3, 0], atol=1e-12)
    # Without that constraint, p'(2, 1) >= 1 for (1, 0), or p'(1, 2) >= 1 for (0, 1): equally short.
    tied = NearTiedSVM(select=(0,)).solve(problem, 0)
    assert tied.norm == pytest.approx(1 / np.sqrt(5))
    np.testing.assert_allclose(tied.weights, [0.4, 0.2, 0], atol=1e-12)


def test_near_tied_svm_without_neighbors_is_attention_svm():
    problem = one_input([1, 0.5, 0])
    strict, tied = (kind(select=(0,)).solve(problem, 0) for kind in (AttentionSVM, NearTiedSVM))
    np.testing.assert_array_equal(strict.weights, tied.weights)


def test_infeasible_selections_stay_infeasible():
    inputs = [{"tokens": [[0, 0], [1, 0], [-1, 0]], "scores": [0, 1, 1], "label": 1}]
    assert isinstance(NearTiedSVM(select=(0,)).solve(ScoredTokens(inputs=inputs).build(), 0), Infeasible)


def test_solution_is_shortest_of_all_choices():
    """Against SLSQP on the definition, for every choice of one token per set."""
    problem = RandomSphere(trials=30, n=2, T=4, d=3, seed=1).build()
    compared = 0
    for k, selected in itertools.product(range(30), itertools.product(range(4), repeat=2)):
        strict = AttentionSVM(select=selected).solve(problem, k)
        if isinstance(strict, Infeasible):
            continue
        keys, scores = problem.keys[k], problem.scores()[k]
        tied = strict.neighbors() & (scores > scores[[0, 1], selected][:, None])
        if not tied.any() or compared == 20:
            continue
        compared += 1
        tied[[0, 1], selected] = True
        lengths = []
        for choice in itertools.product(*(np.flatnonzero(row) for row in tied)):
            rows = np.concatenate([keys[i, t] - keys[i, ~tied[i]] for i, t in enumerate(choice)])
            if not len(rows):
                continue
            constraint = {"type": "ineq", "fun": lambda p, rows=rows: rows @ p - 1, "jac": lambda p, rows=rows: rows}
            answer = scipy.optimize.minimize(
                lambda p: p @ p, strict.weights, jac=lambda p: 2 * p, constraints=[constraint], method="SLSQP",
                options={"ftol": 1e-14, "maxiter": 500},
            )  # fmt: skip
            if answer.success and (rows @ answer.x >= 1 - 1e-8).all():
                lengths.append(np.linalg.norm(answer.x))
        assert NearTiedSVM(select=selected).solve(problem, k).norm == pytest.approx(min(lengths), rel=1e-5)
    assert compared == 20

"""Regularization paths in l_p balls, and starts in the cone around the l_p-AttSVM."""

import numpy as np
import pytest
import scipy.optimize

from attention_dynamics.attention.losses.logistic import Logistic
from attention_dynamics.attention.losses.risk_gap import log_risk_gap
from attention_dynamics.margins.lp_attention_svm import lp_attention_svm
from attention_dynamics.margins.lp_norms import lp_norm, mirror_image
from attention_dynamics.problems.queries_near_svm import QueriesNearSVM
from attention_dynamics.problems.random_queries import RandomQueries
from attention_dynamics.problems.shape import TokenShape
from attention_dynamics.regularization.lp_regularization_path import LpRegularizationPath, Sphere
from attention_dynamics.training import IncompatibleRunError

SIZE = {"n": 3, "T": 4, "d": 4}


def divergence(w, target, p):
    """D of the directions, from the definition of the Bregman divergence of |w|_p^p / p."""
    a, b = target / lp_norm(target, p), w / lp_norm(w, p)
    return (lp_norm(a, p) ** p - lp_norm(b, p) ** p) / p - mirror_image(b, p) @ (a - b)


@pytest.mark.parametrize("p", [1.3, 2.0, 3.0])
def test_sphere_gradient_is_derivative_of_risk(p):
    problem = RandomQueries(datasets=1, **SIZE).build()
    sphere = Sphere(problem.keys[0], problem.scores()[0], Logistic(), p, radius=5.0)
    point = np.random.default_rng(1).standard_normal(16)
    value, gradient = sphere.evaluate(point)
    numeric = scipy.optimize.approx_fprime(point, lambda x: sphere.evaluate(x)[0], 1e-6)
    np.testing.assert_allclose(gradient, numeric, rtol=1e-4, atol=1e-5)
    assert sphere.evaluate(3 * point)[0] == pytest.approx(value, rel=1e-12)
    w = 5.0 * point / lp_norm(point, p)
    s = np.exp(problem.keys[0] @ w)
    s /= s.sum(-1, keepdims=True)
    scores = problem.scores()[0]
    losses = np.log1p(np.exp(-(s * scores).sum(-1))) - np.log1p(np.exp(-scores.max(-1)))
    assert value == pytest.approx(np.log(losses.mean()), rel=1e-10)


@pytest.mark.parametrize("p", [1.75, 2.0, 3.0])
def test_path_has_requested_norms_and_tends_to_svm(p):
    problem = RandomQueries(datasets=2, **SIZE).build()
    path = LpRegularizationPath(exponent=p, loss="logistic", radii=[5, 20, 100]).train(problem)
    assert path["step"].tolist() == [0, 5, 20, 100]
    assert not path["W"][0].any()
    for k in range(2):
        svm = lp_attention_svm(problem.keys[k], problem.optimal[k], p).weights
        np.testing.assert_allclose(lp_norm(path["W"][1:, k, 0], p) / lp_norm(svm, p), [5, 20, 100], rtol=1e-9)
        distances = [divergence(w, svm, p) for w in path["W"][1:, k, 0]]
        assert distances[0] > distances[1] > distances[2]
        assert distances[2] < 1e-3


def test_other_starts_find_no_smaller_risk():
    problem = RandomQueries(datasets=1, **SIZE).build()
    path = LpRegularizationPath(exponent=2, loss="logistic", radii=[4]).train(problem)
    keys, scores = problem.keys[0], problem.scores()[0]
    found = float(log_risk_gap(keys @ path["W"][1, 0, 0], scores, Logistic(), fixed_head=True))
    sphere = Sphere(keys, scores, Logistic(), 2.0, float(lp_norm(path["W"][1, 0, 0], 2)))
    rng = np.random.default_rng(3)
    others = [sphere.minimize(rng.standard_normal(16))[1] for _ in range(20)]
    assert found <= min(others) + 1e-6
    inside = 0.999 * path["W"][1, 0, 0]
    assert found < float(log_risk_gap(keys @ inside, scores, Logistic(), fixed_head=True))


def test_starts_have_requested_distance():
    exponents = [1.75, 2.0, 3.0]
    given = {"datasets": 3, **SIZE, "exponents": exponents, "norm": 6}
    problem, same = (QueriesNearSVM(**given, perturbation=0.5).build() for _ in range(2))
    exact = QueriesNearSVM(**given, perturbation=0).build()
    assert QueriesNearSVM(**given, perturbation=0.5).shape.starts == {"W": 3}
    np.testing.assert_array_equal(problem.starts["W"], same.starts["W"])
    np.testing.assert_array_equal(problem.tokens, RandomQueries(datasets=3, **SIZE).build().tokens)
    for k, p in enumerate(exponents):
        np.testing.assert_allclose(lp_norm(problem.starts["W"][:, k], p), 6, rtol=1e-12)
        for row in range(3):
            svm = lp_attention_svm(problem.keys[row], problem.optimal[row], p).weights
            assert divergence(exact.starts["W"][row, k], svm, p) == pytest.approx(0, abs=1e-12)
            assert 0.005 < divergence(problem.starts["W"][row, k], svm, p) < 0.3
    # The noise of the first data set is that of a generator by itself.
    noise = np.random.default_rng(0).standard_normal(16)
    svm = lp_attention_svm(problem.keys[0], problem.optimal[0], 2.0).weights
    direction = svm / np.linalg.norm(svm) + 0.5 * noise / np.linalg.norm(noise)
    np.testing.assert_allclose(problem.starts["W"][0, 1], 6 * direction / np.linalg.norm(direction), rtol=1e-10)


def test_path_requires_fixed_head_and_growing_radii():
    path = LpRegularizationPath(exponent=2, loss="logistic", radii=[1, 4])
    path.check(TokenShape(inputs=2, tokens=2, dimension=2))
    with pytest.raises(IncompatibleRunError, match="trainable head"):
        path.check(TokenShape(inputs=2, tokens=2, dimension=2, fixed_head=False))
    with pytest.raises(ValueError, match=r"radii must increase, got \[4, 1\]"):
        LpRegularizationPath(exponent=2, loss="logistic", radii=[4, 1])
    assert [step for step in range(6) if path.records_step(step)] == [0, 1, 4]
    assert path.record_schedule == "0, 1, 4"

"""The limits of small steps and of long training of mirror descent, against an ordinary differential equation."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from attention_dynamics.attention.gradient_descent import GradientDescent
from attention_dynamics.margins.lp_attention_svm import feasible, lp_attention_svm
from attention_dynamics.margins.lp_label_svm import LpLabelSVM
from attention_dynamics.papers.mirror_descent.mirror_flow import divergence_exponent, norm_exponent
from attention_dynamics.problems.linear_constraints import LinearConstraints
from attention_dynamics.problems.random_queries import RandomQueries

EXPONENTS = [1.75, 2.0, 3.0]


@pytest.fixture(scope="module")
def problem():
    return RandomQueries(datasets=1, n=2, T=4, d=3, first_seed=4).build()


def flow_direction(problem, w):
    """Minus the gradient of the risk up to its scale, from the formula of the model, token by token."""
    total, logs = [], []
    for X, keys, y in zip(problem.tokens[0], problem.keys[0], problem.labels[0], strict=True):
        score, z = y * X @ problem.head[0], keys @ w
        best = int(z.argmax())
        relative = np.exp(z - z[best])
        slope = 1 / (1 + np.exp(relative @ score / relative.sum()))
        for t in set(range(len(z))) - {best}:
            # The row of the selected token is minus the sum of the others'.
            logs.append(z[t] - z[best])
            pull = relative @ (score[t] - score) * keys[t] - (score[t] - score[best]) * keys[best]
            total.append(slope / relative.sum() ** 2 * pull)
    return np.exp(np.array(logs) - max(logs)) @ np.array(total)


def integrate(problem, p, time):
    """Mirror flow whose time is the length of the path of m(W) in the dual norm: times, norms and weights."""
    q = p / (p - 1)

    def weights(image):
        return np.sign(image) * np.abs(image) ** (1 / (p - 1))

    def velocity(_, image):
        direction = flow_direction(problem, weights(image))
        return direction / np.sum(np.abs(direction) ** q) ** (1 / q)

    times = np.geomspace(0.05, time, 120)
    size = problem.keys.shape[-1]
    path = solve_ivp(velocity, (0, time), np.zeros(size), "LSODA", times, rtol=1e-6, atol=1e-9)
    assert path.success
    w = weights(path.y).T
    return times, np.sum(np.abs(w) ** p, axis=1) ** (1 / p), w


def divergences(problem, p, w):
    svm = feasible(lp_attention_svm(problem.keys[0], problem.optimal[0], p), 0)
    unit, target = (x / np.sum(np.abs(x) ** p, -1, keepdims=True) ** (1 / p) for x in (w, svm))
    return 1 - (np.sign(unit) * np.abs(unit) ** (p - 1)) @ target


def train(problem, p, *, normalized, step_size, steps):
    optimizer = {"kind": "mirror_descent", "exponent": p, "step_size": step_size, "normalized": normalized}
    training = GradientDescent(
        model={"kind": "self_attention"}, loss={"kind": "logistic"}, optimizer=optimizer, start={"W": [[0]]},
        steps=steps, record_digits=2,
    )  # fmt: skip
    return training.train(problem)["W"][1:, 0, 0]


def test_flow_direction_is_minus_finite_difference_gradient(problem):
    w = np.random.default_rng(0).standard_normal(problem.keys.shape[-1])

    def risk(w):
        losses = []
        for X, keys, y in zip(problem.tokens[0], problem.keys[0], problem.labels[0], strict=True):
            attention = np.exp(keys @ w) / np.exp(keys @ w).sum()
            losses.append(np.log1p(np.exp(-y * attention @ X @ problem.head[0])))
        return np.mean(losses)

    gradient = np.array([(risk(w + 1e-6 * e) - risk(w - 1e-6 * e)) / 2e-6 for e in np.eye(len(w))])
    direction = flow_direction(problem, w)
    assert direction @ gradient / np.linalg.norm(direction) / np.linalg.norm(gradient) == pytest.approx(-1, abs=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize("p", EXPONENTS)
def test_small_steps_follow_flow(problem, p):
    _, norms, w = integrate(problem, p, 20)
    expected = divergences(problem, p, w)
    for run in (
        train(problem, p, normalized=True, step_size=0.02, steps=900),
        train(problem, p, normalized=False, step_size=0.2, steps=8000),
    ):
        sizes = np.sum(np.abs(run) ** p, -1) ** (1 / p)
        there = (norms > 1) & (norms < sizes[-1])
        assert there.sum() > 20
        found = np.interp(norms[there], sizes, divergences(problem, p, run))
        np.testing.assert_allclose(found, expected[there], atol=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("p", [1.5, 2.0, 3.0])
def test_flow_grows_by_late_powers(problem, p):
    # The norm reaches some thousands with all of them.
    times, norms, w = integrate(problem, p, 3000 ** max(1, p - 1))
    late = times > times[-1] / 10
    assert np.polyfit(np.log(times[late]), np.log(norms[late]), 1)[0] == pytest.approx(norm_exponent(p), rel=0.03)
    slope = np.polyfit(np.log(norms[late]), np.log(divergences(problem, p, w)[late]), 1)[0]
    assert slope == pytest.approx(divergence_exponent(p), abs=0.1)


SIZES = {"datasets": 2, "n": 2, "T": 4, "d": 3}


def test_linear_classifier_has_constraints_of_optimal_tokens():
    attention, linear = RandomQueries(**SIZES).build(), LinearConstraints(**SIZES).build()
    for k in range(2):
        inputs = zip(attention.tokens[k], attention.queries[k], attention.optimal[k], strict=True)
        pairs = [np.outer(X[best] - X[t], z).ravel() for X, z, best in inputs for t in range(4) if t != best]
        np.testing.assert_allclose(linear.tokens[k, :, 0], pairs)
    shape = LinearConstraints(**SIZES).shape
    assert linear.tokens.shape == (shape.problems, shape.inputs, shape.tokens, shape.dimension)
    assert (shape.fixed_head, linear.keys.shape[-1]) == (linear.head is not None, shape.key_dimension)


@pytest.mark.parametrize("p", EXPONENTS)
def test_linear_classifier_has_same_solution_as_attention(problem, p):
    linear = LinearConstraints(datasets=1, n=2, T=4, d=3, first_seed=4).build()
    attention = feasible(lp_attention_svm(problem.keys[0], problem.optimal[0], p), 0)
    np.testing.assert_allclose(feasible(LpLabelSVM(exponent=p).solve(linear, 0), 0), attention, atol=1e-7)

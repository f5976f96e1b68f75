"""Nonlinear heads (Max-margin Theorem 8) and what mixing costs: against many-digit arithmetic and exhaustive search."""

import mpmath
import numpy as np
import pytest
import scipy.optimize
from scipy.special import softmax

from attention_dynamics.compute import compute_run
from attention_dynamics.margins.label_svm import label_svm
from attention_dynamics.margins.max_margin import Infeasible
from attention_dynamics.margins.tied_svm import TiedSVM
from attention_dynamics.measures.mixing import Mixing
from attention_dynamics.measures.solution_distance import SolutionDistance
from attention_dynamics.regularization.nonlinear_path import NonlinearPath
from attention_dynamics.regularization.rays import Rays
from attention_dynamics.regularization.tanh_head import TanhHead, TanhRisk
from attention_dynamics.theory.linear_mixing import risk_bounds
from helpers.planar_problems import PROBLEMS

HEAD = TanhHead(weights=[[0.25, 1, 1], [-0.25, -1, 0.5]], biases=[0.1, -0.2], outputs=[1, -0.3])
PROBLEM = PROBLEMS["tied"]
POINTS = np.array([[0.3, -0.2], [4.0, 1.0], [-20.0, 30.0], [35.0, 1.0]])


def risk_of(reach=50.0):
    return TanhRisk(PROBLEM.keys[0, ..., :2], PROBLEM.tokens[0], PROBLEM.labels[0], HEAD, PROBLEM.optimal[0], reach)


def exact_psi(z):
    units = zip(HEAD.weights, HEAD.biases, HEAD.outputs, strict=True)
    return sum(a * mpmath.tanh(mpmath.fdot([mpmath.mpf(x) for x in w], z) + mpmath.mpf(b)) for w, b, a in units)


def exact_difference(p):
    """L(p) - L(optimal tokens) as the definition writes it."""
    total = mpmath.mpf(0)
    for tokens, best in zip(PROBLEM.tokens[0], PROBLEM.optimal[0], strict=True):
        rows = [[mpmath.mpf(x) for x in row.tolist()] for row in tokens]
        s = [mpmath.exp(mpmath.fdot(row[:2], p)) for row in rows]
        z = [mpmath.fdot(s, [row[c] for row in rows]) / mpmath.fsum(s) for c in range(3)]
        total += mpmath.log1p(mpmath.exp(-exact_psi(z))) - mpmath.log1p(mpmath.exp(-exact_psi(rows[best])))
    return total / len(PROBLEM.tokens[0])


def test_difference_agrees_with_high_precision():
    found = risk_of().difference(POINTS)
    with mpmath.workdps(80):
        for k, p in enumerate(POINTS.tolist()):
            exact = exact_difference([mpmath.mpf(x) for x in p])
            assert found.sign[k] == mpmath.sign(exact)
            assert found.log[k] == pytest.approx(float(mpmath.log(abs(exact))), abs=1e-9)


def plain_risk(points):
    """Return the risk at points (m, 2) in plain arithmetic."""
    s = softmax(np.einsum("itx,mx->mit", PROBLEM.keys[0, ..., :2], points), axis=-1)
    z = np.einsum("mit,itd->mid", s, PROBLEM.tokens[0])
    return np.logaddexp(0, -HEAD.values(z)).mean(-1)


def test_values_grow_with_risk_and_gradients_are_their_derivatives():
    risk, h, points = risk_of(), 1e-6, np.random.default_rng(0).standard_normal((200, 2)) * 3
    assert (np.argsort(plain_risk(points)) == np.argsort(risk.values(points))).mean() > 0.95
    for p, gradient in zip(POINTS, risk.gradients(POINTS), strict=True):
        numerical = [(risk.values(p + h * e) - risk.values(p - h * e)) / (2 * h) for e in np.eye(2)]
        np.testing.assert_allclose(gradient, numerical, rtol=1e-5, atol=1e-7)


def test_path_is_global_minimizer():
    """Against a fine grid of the disc and a line search, at a radius where plain arithmetic suffices."""
    path = NonlinearPath(loss="logistic", radii=[2], head=HEAD).train(PROBLEM)["p"][1, 0, 0, :2]
    angles, radii = np.meshgrid(np.linspace(0, 2 * np.pi, 400), np.linspace(0.01, 2, 60))
    grid = np.stack([radii * np.cos(angles), radii * np.sin(angles)], -1).reshape(-1, 2)
    best = grid[np.argmin(plain_risk(grid))]
    at = lambda angle: 2 * np.array([[np.cos(angle), np.sin(angle)]])  # noqa: E731
    polished = scipy.optimize.minimize_scalar(
        lambda angle: plain_risk(at(angle))[0], bounds=np.arctan2(*best[::-1]) + np.array([-0.1, 0.1]),
        method="bounded", options={"xatol": 1e-10},
    ).x  # fmt: skip
    np.testing.assert_allclose(path, at(polished)[0], atol=1e-5)
    assert plain_risk(path[None])[0] <= plain_risk(best[None])[0] + 1e-12


def test_path_reaches_near_tied_svm_solution():
    references = {"first": TiedSVM(select=(0, 0)), "second": TiedSVM(select=(1, 0))}
    path = NonlinearPath(loss="logistic", radii=[10, 100], head=HEAD)
    run = compute_run(PROBLEM, path, references=references, measures=[SolutionDistance(references=("first", "second"))])
    distances = run.series["solution_distance"][1:, 0, 0]
    assert distances[1] < 1e-6 < distances[0]


@pytest.mark.parametrize("head", [None, HEAD])
def test_mixing_series_match_definitions(head):
    rays = Rays(loss="logistic", radii=[1, 3], start={"p": {"radius": 1, "every": 40}})
    run = compute_run(PROBLEM, rays, measures=[Mixing(head=head)])
    for r, k in np.ndindex(3, 9):
        p = run.trajectory["p"][r, 0, k]
        s = np.exp(PROBLEM.keys[0] @ p)
        s /= s.sum(-1, keepdims=True)
        assert np.exp(run.series["log_nonoptimal"][r, 0, k]) == pytest.approx(max(s[0, 2], 1 - s[1, 0]))
        z, best = (s[..., None] * PROBLEM.tokens[0]).sum(-2), PROBLEM.tokens[0][[0, 1], [0, 0]]
        psi = (lambda x: x[..., 2]) if head is None else head.values
        excess = (np.logaddexp(0, -psi(z)) - np.logaddexp(0, -psi(best))).mean()
        found = run.series["excess_sign"][r, 0, k] * np.exp(run.series["log_excess"][r, 0, k])
        assert found == pytest.approx(excess, rel=1e-6, abs=1e-13)


def test_mixing_costs_label_margin():
    """The example of Assumption C: optimal tokens Y a, all others shorter: Gamma_p <= |a| - nu max(1 - s_i1)."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        n, T, d = rng.integers([2, 2, 2], [5, 5, 4])
        labels, a = np.append([1.0, -1.0], rng.choice([-1.0, 1.0], n - 2)), np.eye(d)[0]
        others = rng.standard_normal((n, T, d))
        others *= (rng.uniform(0.1, 0.9, (n, T)) / np.linalg.norm(others, axis=-1))[..., None]
        tokens = np.concatenate([labels[:, None, None] * a, others], axis=1)
        softmax = rng.dirichlet(np.full(T + 1, 0.5), n)
        answer = label_svm((softmax[..., None] * tokens).sum(1), labels)
        shrinkage = 1 - np.linalg.norm(others, axis=-1).max()
        margin = 0.0 if isinstance(answer, Infeasible) else 1 / answer.norm
        assert margin <= 1 - shrinkage * (1 - softmax[:, 0]).max() + 1e-9
        assert 1 / label_svm(tokens[:, 0], labels).norm == pytest.approx(1, abs=1e-9)


def test_units_of_different_sizes_are_refused():
    for weights, message in (
        ([[1.0, 2.0]], "one entry per hidden unit"), ([[1.0, 2.0], [1.0]], "same number of coordinates"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=message):
            TanhHead(weights=weights, biases=[0.0, 1.0], outputs=[1.0] * len(weights))


def test_risk_bounds_match_closed_form_and_hold_for_random_softmax():
    """Lemma 14 of Max-margin: the risk by the probability of non-optimal tokens."""
    np.testing.assert_allclose(risk_bounds(np.array([[1.0, -0.5]])), 1.5 / (1 + np.exp([1, -0.5])), rtol=1e-12)
    rng = np.random.default_rng(3)
    for _ in range(200):
        scores, softmax = rng.normal(size=(3, 4)), rng.dirichlet(np.full(4, 0.3), size=3)
        best = scores == scores.max(-1, keepdims=True)
        risk, least = (np.logaddexp(0, -(s * scores).sum(-1)).mean() for s in (softmax, best))
        q_max = (softmax * ~best).sum(-1).max()
        lower, upper = risk_bounds(scores)
        assert lower * q_max <= risk - least + 1e-12
        assert risk - least <= upper * q_max + 1e-12

"""Nonlinear heads (Max-margin Theorem 8) and what mixing costs: against many-digit arithmetic and exhaustive search."""

import mpmath
import numpy as np
import pytest
import scipy.optimize

from attention_dynamics.compute import compute_run
from attention_dynamics.margins.label_svm import label_svm
from attention_dynamics.margins.max_margin import Infeasible
from attention_dynamics.margins.tied_svm import TiedSVM
from attention_dynamics.measures.mixing import Mixing
from attention_dynamics.measures.solution_distance import SolutionDistance
from attention_dynamics.problems.scored_tokens import ScoredTokens
from attention_dynamics.regularization.nonlinear_path import NonlinearPath
from attention_dynamics.regularization.rays import Rays
from attention_dynamics.regularization.tanh_head import TanhHead, TanhRisk

INPUTS = [
    {"tokens": [[1, 0], [-1, 0.5], [0, 0]], "scores": [1, 1, 0], "label": 1},
    {"tokens": [[1.2, 2.15], [0, -1], [0, 0]], "scores": [1, 0, 0], "label": 1},
]
HEAD = TanhHead(weights=[[0.25, 1, 1], [-0.25, -1, 0.5]], biases=[0.1, -0.2], outputs=[1, -0.3])
POINTS = np.array([[0.3, -0.2], [4.0, 1.0], [-20.0, 30.0], [35.0, 1.0]])


@pytest.fixture(scope="module")
def problem():
    return ScoredTokens(inputs=INPUTS).build()


def risk_of(problem, reach=50.0):
    return TanhRisk(problem.keys[0, ..., :2], problem.tokens[0], problem.labels[0], HEAD, problem.optimal[0], reach)


def exact_psi(z):
    units = zip(HEAD.weights, HEAD.biases, HEAD.outputs, strict=True)
    return sum(a * mpmath.tanh(mpmath.fdot([mpmath.mpf(x) for x in w], z) + mpmath.mpf(b)) for w, b, a in units)


def exact_difference(problem, p):
    """L(p) - L(optimal tokens) as the definition writes it."""
    total = mpmath.mpf(0)
    for tokens, best in zip(problem.tokens[0], problem.optimal[0], strict=True):
        rows = [[mpmath.mpf(x) for x in row.tolist()] for row in tokens]
        s = [mpmath.exp(mpmath.fdot(row[:2], p)) for row in rows]
        z = [mpmath.fdot(s, [row[c] for row in rows]) / mpmath.fsum(s) for c in range(3)]
        total += mpmath.log1p(mpmath.exp(-exact_psi(z))) - mpmath.log1p(mpmath.exp(-exact_psi(rows[best])))
    return total / len(INPUTS)


def test_difference_agrees_with_high_precision(problem):
    found = risk_of(problem).difference(POINTS)
    with mpmath.workdps(80):
        for k, p in enumerate(POINTS.tolist()):
            exact = exact_difference(problem, [mpmath.mpf(x) for x in p])
            assert found.sign[k] == mpmath.sign(exact)
            assert found.log[k] == pytest.approx(float(mpmath.log(abs(exact))), abs=1e-9)


def test_gradients_are_derivatives_of_values(problem):
    risk, h = risk_of(problem), 1e-6
    for p, gradient in zip(POINTS, risk.gradients(POINTS), strict=True):
        numerical = [(risk.values(p + h * e) - risk.values(p - h * e)) / (2 * h) for e in np.eye(2)]
        np.testing.assert_allclose(gradient, numerical, rtol=1e-5, atol=1e-7)


def test_values_grow_with_risk(problem):
    rng = np.random.default_rng(0)
    points = rng.standard_normal((200, 2)) * 3
    risk = risk_of(problem)
    s = np.exp(np.einsum("itx,mx->mit", risk.keys, points))
    z = np.einsum("mit,itd->mid", s / s.sum(-1, keepdims=True), problem.tokens[0])
    plain = np.logaddexp(0, -HEAD.values(z)).mean(-1)
    assert (np.argsort(plain) == np.argsort(risk.values(points))).mean() > 0.95


def test_path_is_global_minimizer(problem):
    """Against a fine grid of the disc and Nelder-Mead, at a radius where plain arithmetic suffices."""
    path = NonlinearPath(loss="logistic", radii=[2], head=HEAD).train(problem)["p"][1, 0, 0, :2]

    def plain(p):
        s = np.exp(problem.keys[0, ..., :2] @ p)
        z = ((s / s.sum(-1, keepdims=True))[..., None] * problem.tokens[0]).sum(-2)
        return np.logaddexp(0, -HEAD.values(z)).mean()

    angles, radii = np.meshgrid(np.linspace(0, 2 * np.pi, 400), np.linspace(0.01, 2, 60))
    grid = np.stack([radii * np.cos(angles), radii * np.sin(angles)], -1).reshape(-1, 2)
    best = grid[np.argmin([plain(p) for p in grid])]
    polished = scipy.optimize.minimize_scalar(
        lambda a: plain(2 * np.array([np.cos(a), np.sin(a)])), bounds=np.arctan2(*best[::-1]) + np.array([-0.1, 0.1]),
        method="bounded", options={"xatol": 1e-10},
    ).x  # fmt: skip
    np.testing.assert_allclose(path, 2 * np.array([np.cos(polished), np.sin(polished)]), atol=1e-5)
    assert plain(path) <= plain(best) + 1e-12


def test_path_reaches_near_tied_svm_solution(problem):
    references = {"first": TiedSVM(select=(0, 0)), "second": TiedSVM(select=(1, 0))}
    path = NonlinearPath(loss="logistic", radii=[10, 100], head=HEAD)
    run = compute_run(problem, path, references=references, measures=[SolutionDistance(references=("first", "second"))])
    distances = run.series["solution_distance"][1:, 0, 0]
    assert distances[1] < 1e-6 < distances[0]


@pytest.mark.parametrize("head", [None, HEAD])
def test_mixing_series_match_definitions(problem, head):
    rays = Rays(loss="logistic", radii=[1, 3], start={"p": {"radius": 1, "every": 40}})
    run = compute_run(problem, rays, measures=[Mixing(head=head)])
    for r, k in np.ndindex(3, 9):
        p = run.trajectory["p"][r, 0, k]
        s = np.exp(problem.keys[0] @ p)
        s /= s.sum(-1, keepdims=True)
        assert np.exp(run.series["log_nonoptimal"][r, 0, k]) == pytest.approx(max(s[0, 2], 1 - s[1, 0]))
        z, best = (s[..., None] * problem.tokens[0]).sum(-2), problem.tokens[0][[0, 1], [0, 0]]
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
    with pytest.raises(ValueError, match="one entry per hidden unit"):
        TanhHead(weights=[[1.0, 2.0]], biases=[0.0, 1.0], outputs=[1.0])
    with pytest.raises(ValueError, match="same number of coordinates"):
        TanhHead(weights=[[1.0, 2.0], [1.0]], biases=[0.0, 1.0], outputs=[1.0, 1.0])

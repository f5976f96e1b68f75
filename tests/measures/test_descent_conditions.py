"""Lemmas 3 to 7 of Max-margin: the measure against many-digit arithmetic, and random instances of Lemmas 3 and 6."""

from dataclasses import replace

import mpmath
import numpy as np
import pytest

from attention_dynamics.attention.gradient_descent import GradientDescent
from attention_dynamics.compute import compute_run
from attention_dynamics.margins.attention_svm import AttentionSVM
from attention_dynamics.measures.descent_conditions import DescentConditions
from attention_dynamics.problems.random_sphere import RandomSphere

POINTS = [[0.3, -0.2, 0.5, 0.1, 0.2, -0.6], [2.0, 1.0, -3.0, 0.5, 1.5, -1.0]]


@pytest.fixture(scope="module")
def run():
    problem = RandomSphere(trials=1, n=3, T=4, d=6, seed=3).build()
    training = GradientDescent(
        model="prompt_attention", loss="logistic", optimizer={"kind": "gd", "step_size": 0.5},
        start={"p": POINTS}, steps=2,
    )  # fmt: skip
    measures = [DescentConditions(reference="gmm")]
    return compute_run(problem, training, references={"gmm": AttentionSVM()}, measures=measures)


def exact_risk(problem, p):
    """Return the risk in 50 digits, as the definition writes it."""
    total = mpmath.mpf(0)
    for tokens, label in zip(problem.tokens[0], problem.labels[0], strict=True):
        logits = [mpmath.fdot(row.tolist(), p) for row in tokens]
        s = [mpmath.exp(one) for one in logits]
        scores = [label * mpmath.fdot(row.tolist(), problem.head[0].tolist()) for row in tokens]
        margin = mpmath.fdot(s, scores) / mpmath.fsum(s)
        total += mpmath.log1p(mpmath.exp(-margin))
    return total / len(problem.labels[0])


def exact_gradient(problem, p):
    h = mpmath.mpf(10) ** -18
    return [
        (exact_risk(problem, [x + h * (j == k) for j, x in enumerate(p)]) - exact_risk(problem, p)) / h
        for k in range(len(p))
    ]


@pytest.mark.parametrize("start", [0, 1])
@pytest.mark.parametrize("record", [0, 2])
def test_series_agree_with_high_precision(run, start, record):
    with mpmath.workdps(50):
        p = [mpmath.mpf(x) for x in run.trajectory["p"][record, 0, start].tolist()]
        q = run.references["gmm"]["direction"][0].tolist()
        g = exact_gradient(run.problem, p)
        size = mpmath.sqrt(mpmath.fdot(g, g))
        expected = {
            "alignment": -mpmath.fdot(g, q) / size,
            "gradient_ratio": mpmath.fdot(g, p) / mpmath.sqrt(mpmath.fdot(p, p)) / mpmath.fdot(g, q),
            "gradient_norm": size,
        }
    for name, value in expected.items():
        assert run.series[name][record, 0, start] == pytest.approx(float(value), rel=1e-9)


def test_key_lemma_holds_for_random_logits_and_scores():
    rng = np.random.default_rng(0)
    for _ in range(2000):
        T = rng.integers(2, 7)
        a, gamma, s = rng.standard_normal(T), rng.standard_normal(T), rng.dirichlet(np.full(T, 0.5))
        error = a @ (np.diag(s) - np.outer(s, s)) @ gamma - ((a[0] - a) * s * (gamma[0] - gamma)).sum()
        assert abs(error) <= np.ptp(a) * np.ptp(gamma) * (1 - s[0]) ** 2 * (1 + 1e-12) + 1e-14


@pytest.mark.parametrize("seed", [None, 0, 1, 2])
def test_gradient_is_lipschitz_and_small_steps_lower_risk(seed):
    """Eq. 6 and Lemma 6, eq. 25, of one input with L_p = |v|^2 |X|^4 / 4 + 3 |v| |X|^3: Fig 1a's, and random ones."""
    rng = np.random.default_rng(seed or 0)
    tokens = np.array([[-0.1, 1, 1], [1, 0, 0.9], [0, 0, 0.9]]) if seed is None else rng.standard_normal((4, 3))
    keys, gamma = tokens * [1, 1, 0], tokens[:, 2]
    size = np.linalg.norm(tokens, 2)
    bound = size**4 / 4 + 3 * size**3

    def softmax(p):
        s = np.exp(keys @ p - (keys @ p).max())
        return s / s.sum()

    def risk(p):
        return np.log1p(np.exp(-softmax(p) @ gamma))

    def slope(p):
        s = softmax(p)
        return -1 / (1 + np.exp(s @ gamma)) * keys.T @ (s * (gamma - s @ gamma))

    for _ in range(300):
        p, u = rng.standard_normal((2, 3)) * [[2], [1]]
        u *= 1e-5 / np.linalg.norm(u)
        assert np.linalg.norm(slope(p + u) - slope(p - u)) <= bound * 2e-5
        g = slope(p)
        assert risk(p - g / bound) <= risk(p) - g @ g / (2 * bound) + 1e-15


def test_prompt_at_origin_has_no_gradient_ratio(run):
    origin = replace(run, trajectory={**run.trajectory, "p": run.trajectory["p"] * 0})
    series = DescentConditions(reference="gmm").measure(origin)
    assert np.isnan(series["gradient_ratio"]).all()
    assert np.isfinite(series["alignment"]).all()

"""Lemmas of Max-margin: their measures against many-digit arithmetic and linear programming, and random instances."""

import itertools
from dataclasses import replace

import mpmath
import numpy as np
import pytest
import scipy.optimize

from attention_dynamics.attention.gradient_descent import GradientDescent
from attention_dynamics.attention.untrained import Untrained
from attention_dynamics.compute import compute_run
from attention_dynamics.margins.attention_svm import AttentionSVM
from attention_dynamics.margins.local_optimality import locally_optimal_directions
from attention_dynamics.measures.descent_conditions import DescentConditions
from attention_dynamics.measures.directional_risk import DirectionalRisk
from attention_dynamics.measures.feasibility import Feasibility
from attention_dynamics.problems.equal_labels import EqualLabels
from attention_dynamics.problems.random_sphere import RandomSphere
from attention_dynamics.problems.shape import TokenShape
from attention_dynamics.regularization.rays import Rays
from attention_dynamics.training import IncompatibleRunError
from helpers.exact_risk import EXACT_LOSSES, exact_risk
from helpers.planar_problems import PROBLEMS, scored

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
        q, g = run.references["gmm"]["direction"][0].tolist(), exact_gradient(run.problem, p)
        size = mpmath.norm(g)
        expected = {
            "alignment": -mpmath.fdot(g, q) / size,
            "gradient_ratio": mpmath.fdot(g, p) / mpmath.norm(p) / mpmath.fdot(g, q),
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


FIG8, RADII = PROBLEMS["8"], [5, 40]


@pytest.fixture(scope="module")
def rays_run():
    rays = Rays(loss="logistic", radii=RADII, start={"p": {"radius": 2, "every": 37}})
    return compute_run(FIG8, rays, measures=[DirectionalRisk()])


def exact_excess(q, R):
    """L(R q) - L(selected tokens)."""
    limits = []
    for keys, scores in zip(FIG8.keys[0].tolist(), FIG8.scores()[0].tolist(), strict=True):
        logits = [mpmath.fdot(q, key) for key in keys]
        limits.append(EXACT_LOSSES["logistic"](mpmath.mpf(scores[logits.index(max(logits))])))
    return exact_risk(FIG8, [R * x for x in q]) - mpmath.fsum(limits) / len(limits)


def test_origin_has_no_ray():
    shape = TokenShape(inputs=2, tokens=2, dimension=3, planar=True)
    for points in ([[1, 0], [0, 0]], {"x": [-1, 1], "y": [-1, 1], "spacing": 1}):
        rays = Rays(loss="logistic", radii=RADII, start={"p": points})
        for use, argument in ((rays.train, FIG8), (rays.check, shape)):
            with pytest.raises(IncompatibleRunError, match="one of the points is the origin"):
                use(argument)


def test_points_lie_on_rays_and_excess_agrees_with_high_precision(rays_run):
    p = rays_run.trajectory["p"][:, 0]
    np.testing.assert_allclose(np.linalg.norm(p, axis=-1), [[1] * 10, [5] * 10, [40] * 10])
    np.testing.assert_allclose(p[1], 5 * p[0])
    with mpmath.workdps(60):
        for record, (k, q) in itertools.product([1, 2], enumerate(p[0, :, :2].tolist())):
            exact = exact_excess([mpmath.mpf(x) for x in q], rays_run.steps[record])
            assert rays_run.series["excess_sign"][record, 0, k] == mpmath.sign(exact)
            assert rays_run.series["log_excess"][record, 0, k] == pytest.approx(float(mpmath.log(abs(exact))), abs=1e-8)


def test_margins_and_neighbors_match_gmm_direction():
    rays = Rays(loss="logistic", radii=RADII, start={"p": [[3, 1], [0, 1], [0, -1]]})
    series = compute_run(FIG8, rays, measures=[DirectionalRisk()]).series
    # GMM has both constraints active, LMM that of the first input; (0, -1) selects the worse token of that input.
    np.testing.assert_allclose(series["margin"][0, 0], [1 / np.sqrt(10), 1, 1])
    np.testing.assert_allclose(series["margin_gap"][0, 0], [np.inf, 1, 1])
    np.testing.assert_array_equal(series["neighbors"][0, 0], [2, 1, 1])
    np.testing.assert_array_equal(series["neighbor_optimal"][0, 0], [1, 1, -1])
    np.testing.assert_array_equal(series["excess_sign"][2, 0], [1, 1, -1])


SIZE = {"trials": 25, "n": 3, "T": 4, "d": [2, 4], "seed": 5}


def measure_feasibility(problem, **settings):
    measures = [Feasibility(reference="gmm", **settings)]
    return compute_run(problem, Untrained(), references={"gmm": AttentionSVM()}, measures=measures)


@pytest.mark.parametrize("source", [RandomSphere, EqualLabels])
def test_feasibility_agrees_with_linear_programming(source):
    problem = source(**SIZE).build()
    run = measure_feasibility(problem)
    for k, (keys, best) in enumerate(zip(problem.keys, problem.optimal, strict=True)):
        rows = keys[np.arange(len(keys)), best][:, None] - keys
        A = rows[np.arange(keys.shape[1]) != best[:, None]]
        answer = scipy.optimize.linprog(np.zeros(A.shape[1]), A_ub=-A, b_ub=-np.ones(len(A)), bounds=(None, None))
        assert run.series["reference_feasible"][0, k, 0] == (answer.status == 0)


def test_equal_labels_keep_same_draw():
    drawn, equal = RandomSphere(**SIZE).build(), EqualLabels(**SIZE).build()
    np.testing.assert_array_equal(drawn.tokens, equal.tokens)
    np.testing.assert_array_equal(drawn.head, equal.head)
    assert (equal.labels == 1).all()
    assert not (drawn.labels == 1).all()
    np.testing.assert_array_equal(equal.optimal, equal.scores().argmax(-1))


def test_witness_meets_constraints_only_with_equal_labels():
    def smallest_and_largest(problem):
        margins = measure_feasibility(problem).series["witness_margin"]
        return margins.min(), margins.max()

    equal, random = (source(**SIZE).build() for source in (EqualLabels, RandomSphere))
    W = np.random.default_rng(0).standard_normal((4, 4))
    np.testing.assert_allclose(smallest_and_largest(equal), 1, atol=1e-12)
    np.testing.assert_allclose(smallest_and_largest(replace(equal, key_weights=W)), 1, atol=1e-9)
    assert smallest_and_largest(random)[0] < 0
    # Keys W x with W = diag(1, 1, 0) do not see the score, so that Lemma 2's condition on W fails.
    assert smallest_and_largest(scored(([[1, 0], [0, 1]], [1, 0])))[0] == 0


def test_locally_optimal_selection_found_by_hand_exists():
    # (1, 0) is optimal and separable; on a line with the better token in the middle nothing is locally optimal.
    middle = [[1, 0], [0, 0], [-1, 0]]
    for problem, exists in ((scored(([[1, 0], [0, 0]], [1, 0])), 1), (scored((middle, [0, 1, 0])), 0)):
        run = compute_run(problem, Untrained(), references={"gmm": AttentionSVM(select=(0,))},
                          measures=[Feasibility(reference="gmm", enumerate=True)])  # fmt: skip
        assert run.series["lmm_exists"].ravel() == [exists]


def test_locally_optimal_selections_exist_in_the_order_of_the_tokens_too():
    problem = RandomSphere(trials=150, n=2, T=3, d=2, seed=0).build()
    run = compute_run(problem, Untrained(), references={"gmm": AttentionSVM()},
                      measures=[Feasibility(reference="gmm", enumerate=True)])  # fmt: skip
    pairs = zip(problem.keys, problem.scores(), strict=True)
    exist = [any(True for _ in locally_optimal_directions(*one)) for one in pairs]
    assert 0 < sum(exist) < 150
    np.testing.assert_array_equal(run.series["lmm_exists"][0, :, 0], exist)

"""Regularization paths: against published numbers, exhaustive search, many-digit arithmetic, and the theorems."""

from dataclasses import replace
from functools import partial

import mpmath
import numpy as np
import pytest
import scipy.optimize
from scipy.special import softmax

from attention_dynamics.attention.losses.exponential import Exponential
from attention_dynamics.attention.losses.logistic import Logistic
from attention_dynamics.margins.attention_svm import AttentionSVM
from attention_dynamics.margins.label_svm import LabelSVM
from attention_dynamics.margins.references import enumerate_lmm
from attention_dynamics.margins.relaxed_svm import RelaxedSVM
from attention_dynamics.problems.random_sphere import RandomSphere
from attention_dynamics.problems.scored_tokens import ScoredTokens
from attention_dynamics.problems.shape import TokenShape
from attention_dynamics.regularization.planar_objective import AttentionRisk, HeadRisk
from attention_dynamics.regularization.regularization_path import RegularizationPath
from attention_dynamics.training import IncompatibleRunError
from helpers.exact_risk import exact_risk
from helpers.planar_problems import PROBLEMS, scored
from helpers.refusals import assert_refused

LOSS = {"logistic": lambda m: np.logaddexp(0, -m), "exponential": lambda m: np.exp(-m), "correlation": lambda m: -m}


def random_problem(seed, n=3, T=4):
    rng = np.random.default_rng(seed)
    return scored(*((rng.standard_normal((T, 2)).tolist(), rng.standard_normal(T).tolist()) for _ in range(n)))


PLANAR = TokenShape(inputs=1, tokens=3, dimension=3, planar=True)


def trace(problem, spec):
    return RegularizationPath(**spec).train(problem)


def spec(**given):
    return {"loss": "logistic", "radii": [1]} | given


def around(axes, half_angle=3.0, radius=1.0, **given):
    return spec(start={"p": axes}, cone={"half_angle": half_angle, "radius": radius}, **given)


def path(problem, **given):
    """Points of a global path, (radii, 2)."""
    return trace(problem, spec(**given))["p"][1:, 0, 0, :2]


def cosines(points, direction):
    return points @ direction[:2] / np.linalg.norm(points, axis=-1)


def angle(points):
    return np.degrees(np.arctan2(points[..., 1], points[..., 0]))


def signed_angle(points, axis):
    """Signed angle from an axis, in degrees."""
    return (angle(points) - angle(np.array(axis, dtype=float)) + 180) % 360 - 180


def polar(angles, radii):
    theta, rho = np.meshgrid(angles, radii)
    return np.stack([rho * np.cos(theta), rho * np.sin(theta)], axis=-1).reshape(-1, 2)


def risk(problem, points, loss):
    """Return the risk by its definition."""
    s = softmax(np.einsum("itx,mx->mit", problem.keys[0, ..., :2], points), axis=-1)
    return LOSS[loss]((s * problem.scores()[0]).sum(-1)).mean(-1)


def turn_and_stretch(point, by_angle=0.0, by_radius=0.0):
    """Return the point in mpmath numbers, turned and stretched."""
    x, y = (mpmath.mpf(float(c)) for c in point)
    radius, theta = mpmath.hypot(x, y) * (1 + by_radius), mpmath.atan2(y, x) + by_angle
    return radius * mpmath.cos(theta), radius * mpmath.sin(theta)


# Cosines with the GMM direction at radii 1, 2, 5, 10, 20 and 30, by a grid search, and its tolerance.
GRID_SEARCH = {
    "1a": ([0.9369, 0.9568, 0.9825, 0.9941, 0.9988, 0.9997], 1e-4),
    "1b": ([0.9695, 0.9999, 0.9991, 0.9996, 0.9999, 1.0000], 1e-4),
    "1c": ([0.956, 0.975, 0.993, 0.9989, 1.0000, 0.9998], 5e-4),
}


@pytest.mark.parametrize("data", ["1a", "1b", "1c", "8"])
@pytest.mark.parametrize("loss", LOSS)
def test_path_turns_to_gmm_direction(data, loss):
    points = path(PROBLEMS[data], radii=[1, 2, 5, 10, 20, 30, 2000], loss=loss)
    found = cosines(points, AttentionSVM().solve(PROBLEMS[data], 0).direction)
    assert found[-2] >= 0.999
    assert found[-1] >= 1 - 1e-6
    np.testing.assert_allclose(np.linalg.norm(points[-2:], axis=-1), [30, 2000], rtol=1e-12)
    if loss == "logistic" and data in GRID_SEARCH:
        expected, tolerance = GRID_SEARCH[data]
        np.testing.assert_allclose(found[:-1], expected, atol=tolerance)
    # The path of a single input is that of the probability of its best token, whatever the loss.
    if data in ("1a", "1b"):
        logistic = path(PROBLEMS[data], radii=[1, 2, 5, 10, 20, 30])
        np.testing.assert_allclose(points[:-1], logistic, atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("loss", LOSS)
def test_fine_grid_has_no_better_point(seed, loss):
    problem = random_problem(seed)
    for R in (1, 4):
        best = path(problem, radii=[R], loss=loss)
        assert np.linalg.norm(best) <= R * (1 + 1e-12)
        grid = polar(np.linspace(0, 2 * np.pi, 721), np.linspace(0, R, 81))
        values = risk(problem, grid, loss)
        found = risk(problem, best, loss)[0]
        assert found <= values.min() + 1e-12
        assert values.min() - found <= 1e-3 * (values.max() - values.min())


@pytest.mark.parametrize("data", ["1a", "1b", "1c", "8"])
@pytest.mark.parametrize("R", [5, 40, 200])
def test_turning_path_increases_risk_in_high_precision(data, R):
    point = path(PROBLEMS[data], radii=[R])[0]
    step = 1e-6
    with mpmath.workdps(R + 40):
        here = exact_risk(PROBLEMS[data], turn_and_stretch(point))
        assert exact_risk(PROBLEMS[data], turn_and_stretch(point, by_angle=step)) > here
        assert exact_risk(PROBLEMS[data], turn_and_stretch(point, by_angle=-step)) > here
        assert exact_risk(PROBLEMS[data], turn_and_stretch(point, by_radius=-step)) > here


def assert_gradient_is_derivative(objective, points, **tolerance):
    for axis, step in enumerate(1e-6 * np.eye(2)):
        slope = (objective.values(points + step) - objective.values(points - step)) / 2e-6
        np.testing.assert_allclose(objective.gradients(points)[:, axis], slope, **tolerance)


@pytest.mark.parametrize("selected", [[0, 0, 0], [1, 2, 3]])
def test_scaled_risk_increases_with_risk(selected):
    problem, reach = random_problem(1), 4.0
    keys, scores = problem.keys[0, ..., :2], problem.scores()[0]
    scaled = AttentionRisk(keys, scores, Logistic(), np.array(selected), reach)
    points = np.random.default_rng(0).standard_normal((40, 2))
    order = np.argsort(risk(problem, points, "logistic"))
    assert (np.diff(scaled.values(points[order])) > 0).all()
    assert_gradient_is_derivative(scaled, points, rtol=1e-5, atol=1e-6)


def test_head_risk_and_gradient_match_definition():
    rng = np.random.default_rng(0)
    features, labels = rng.standard_normal((5, 2)), np.array([1, -1, 1, 1, -1.0])
    head, points = HeadRisk(features, labels), 3 * rng.standard_normal((20, 2))
    expected = np.log(LOSS["logistic"](labels * (points @ features.T)).mean(-1))
    np.testing.assert_allclose(head.values(points), expected, rtol=1e-12)
    assert_gradient_is_derivative(head, points, rtol=1e-5, atol=1e-8)
    assert HeadRisk(np.eye(2), np.ones(2)).values(np.array([2000.0, 2000.0])) == pytest.approx(-2000, rel=1e-12)


@pytest.mark.parametrize("data", ["1b", "8"])
def test_local_path_is_best_in_cone(data):
    axes, half, R0, R = [[1.0, 0.2], [-2.0, 1.0], [0.0, -1.0]], 20.0, 0.5, 6
    points = trace(PROBLEMS[data], around(axes, half, R0, radii=[R]))["p"][1, 0, :, :2]
    for q, found in zip(axes, points, strict=True):
        assert abs(signed_angle(found, q)) <= half + 1e-9
        assert R0 - 1e-12 <= np.linalg.norm(found) <= R + 1e-12
        angles = np.radians(angle(np.array(q)) + np.linspace(-half, half, 401))
        values = risk(PROBLEMS[data], polar(angles, np.linspace(R0, R, 401)), "logistic")
        assert risk(PROBLEMS[data], found[None], "logistic")[0] <= values.min() + 1e-13


@pytest.mark.parametrize("data", ["1b", "8"])
def test_local_paths_stay_only_at_locally_optimal_directions(data):
    lmm = enumerate_lmm(PROBLEMS[data])["direction"][:, :2]
    kept = trace(PROBLEMS[data], around(lmm.tolist(), radii=[20, 100, 2000]))["p"][1:, 0, :, :2]
    for k, q in enumerate(lmm):
        angles = np.abs(signed_angle(kept[:, k], q))
        assert (np.diff(angles) <= 1e-12).all()
        assert angles[1] <= 0.2
        assert angles[2] <= 0.01
    others = [q for q in polar(np.radians(np.arange(2, 362, 10)), [1.0]) if (np.abs(signed_angle(lmm, q)) > 0.5).all()]
    assert len(others) >= 34
    left = trace(PROBLEMS[data], around([q.tolist() for q in others], radii=[100, 2000]))["p"][1:, 0, :, :2]
    for k, q in enumerate(others):
        nearest = np.abs(signed_angle(lmm, q)).min()
        assert np.abs(signed_angle(left[:, k], q)).min() >= min(3.0, nearest) - 1e-3


def test_minimum_inside_cone_agrees_with_high_precision():
    # Around 10 degrees the path stays at finite norm, where the risk is below that of the token it selects by 1e-9.
    axis = polar(np.radians(10), 1.0).tolist()
    (point,) = trace(PROBLEMS["1b"], around(axis, radii=[100]))["p"][1, 0, :, :2]
    assert 10 < np.linalg.norm(point) < 30
    assert angle(point) == pytest.approx(13, abs=1e-9)
    with mpmath.workdps(60):
        here = exact_risk(PROBLEMS["1b"], turn_and_stretch(point))
        for change in (-1e-4, 1e-4):
            assert exact_risk(PROBLEMS["1b"], turn_and_stretch(point, by_radius=change)) > here
        assert exact_risk(PROBLEMS["1b"], turn_and_stretch(point, by_angle=-1e-6)) > here


@pytest.mark.parametrize(
    ("data", "given", "origin"),
    [
        ("1b", {"radii": [1, 4]}, {"p": np.zeros((1, 3))}),
        ("1b", {"start": {"p": {"radius": 2.0, "every": 90.0}}, "cone": {"half_angle": 3.0, "radius": 1.0},
                "radii": [1, 4]}, {"p": np.array([[2, 0, 0], [0, 2, 0], [-2, 0, 0], [0, -2, 0]])}),
        ("3b", {"radii": [1, 4], "head_ratio": 2.0}, {"p": np.zeros((1, 2)), "v": np.zeros((1, 2))}),
    ],
)  # fmt: skip
def test_trajectory_has_shapes_and_starts_where_it_should(data, given, origin):
    method = RegularizationPath(**spec(**given))
    found = method.train(PROBLEMS[data])
    assert found["step"].tolist() == [0, 1, 4]
    assert method.parameters == tuple(origin)
    assert method.columns(PLANAR) == len(origin["p"])
    for name, points in origin.items():
        assert found[name].shape == (3, 1, *points.shape)
        np.testing.assert_allclose(found[name][0, 0], points, atol=1e-12)


def test_every_problem_of_batch_has_its_own_path():
    inputs = [{"tokens": [[0, 0], [1, 1]], "scores": [0, "C"]}, {"tokens": [[0, 0], [1, -1]], "scores": [0, 1]}]

    def solve(*C):
        source = ScoredTokens(inputs=[one | {"label": 1} for one in inputs], settings={"C": C})
        return trace(source.build(), spec(radii=[3, 30]))["p"]

    np.testing.assert_array_equal(solve(1.0, 5.0), np.concatenate([solve(1.0), solve(5.0)], axis=1))


def log_risk(problem, x):
    """Logarithm of the logistic risk at x = (angle and norm of v, angle and norm of p); any leading axes."""
    v, p = (x[..., k + 1, None] * np.stack([np.cos(x[..., k]), np.sin(x[..., k])], -1) for k in (0, 2))
    tokens, labels = problem.tokens[0], problem.labels[0]
    s = softmax(np.einsum("itx,...x->...it", tokens, p), axis=-1)
    margins = labels * np.einsum("...it,itx,...x->...i", s, tokens, v)
    return np.log(LOSS["logistic"](margins).mean(-1))


@pytest.mark.slow
@pytest.mark.parametrize(("data", "ratio", "R"), [("3a", 0.25, 1), ("3a", 4, 2), ("3b", 0.25, 2), ("3b", 1, 1)])
def test_joint_path_agrees_with_four_dimensional_search(data, ratio, R):
    r = ratio * R
    angles = np.linspace(-np.pi, np.pi, 36, endpoint=False)
    grid = np.stack(np.meshgrid(angles, r * np.linspace(0.4, 1, 4), angles, R * np.linspace(0.4, 1, 4)), axis=-1)
    grid = grid.reshape(-1, 4)
    values = log_risk(PROBLEMS[data], grid)
    bounds = [(None, None), (0, r), (None, None), (0, R)]
    polished = [
        scipy.optimize.minimize(lambda x: log_risk(PROBLEMS[data], x), grid[k], method="L-BFGS-B", bounds=bounds,
                                options={"ftol": 1e-15, "gtol": 1e-9})
        for k in np.argsort(values)[:: len(values) // 4000][:4]
    ]  # fmt: skip
    best = min(polished, key=lambda answer: answer.fun)
    found = trace(PROBLEMS[data], spec(radii=[R], head_ratio=ratio))
    v, p = found["v"][1, 0, 0], found["p"][1, 0, 0]
    assert np.linalg.norm(v) <= r * (1 + 1e-12)
    assert np.linalg.norm(p) <= R * (1 + 1e-12)
    x = np.array([np.arctan2(v[1], v[0]), np.linalg.norm(v), np.arctan2(p[1], p[0]), np.linalg.norm(p)])
    assert log_risk(PROBLEMS[data], x) <= best.fun + 1e-9
    np.testing.assert_allclose(np.cos(x[::2] - best.x[::2]), 1, atol=1e-6)
    np.testing.assert_allclose(x[1::2], best.x[1::2], rtol=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("ratio", [0.25, 4])
def test_joint_path_reaches_svms_if_all_tokens_are_support_vectors(ratio):
    found = trace(PROBLEMS["3a"], spec(radii=[20, 60], head_ratio=ratio))
    for name, svm in (("p", AttentionSVM()), ("v", LabelSVM())):
        distance = 1 - cosines(found[name][1:, 0, 0], svm.solve(PROBLEMS["3a"], 0).direction)
        assert distance[1] < distance[0] / 4
        assert distance[1] < 2e-4


# p solves 0.5 cos - 2.5 sin = 0.5 r/R: there the third input, which is no support vector, contributes exp(-1.5 r - ...)
# as much as the support vectors do. From r = R on that is beyond the relaxed SVM.
@pytest.mark.slow
@pytest.mark.parametrize("ratio", [0.5, 1, 2])
def test_joint_path_reaches_relaxed_svm_if_head_grows_as_fast(ratio):
    found = trace(PROBLEMS["3b"], spec(radii=[20, 80], head_ratio=ratio))
    tilt = np.arccos(0.5 * min(ratio, 1) / np.hypot(0.5, 2.5)) - np.arctan2(2.5, 0.5)
    distance = np.abs(angle(found["p"][1:, 0, 0]) - np.degrees(tilt))
    assert distance[1] <= max(distance[0] / 3, 1e-6)
    assert distance[1] <= 0.5
    limit = np.array([np.cos(tilt), np.sin(tilt)])
    cosine = RelaxedSVM().solve(PROBLEMS["3b"], 0).direction @ limit
    assert cosine == pytest.approx({0.25: 0.98902, 0.5: 0.99508}.get(ratio, 1), abs=1e-5)
    assert cosines(found["v"][1:, 0, 0], np.array([0.0, 1.0]))[1] >= 1 - 1e-8


REFUSALS = [
    *((partial(RegularizationPath, **given), message) for given, message in [
        (spec(radii=[0, 1]), "greater than or equal to 1"),
        (spec(radii=[2, 2]), r"radii must increase, got \[2, 2\]"),
        (around([[1, 0]], radius=2.0, radii=[1, 5]), r"radii: the cone begins at radius 2, got \[1, 5\]"),
        (spec(start={"p": [[1, 0]]}), "start: start and cone must be set together"),
        (spec(cone={"half_angle": 3, "radius": 1}), "start: start and cone must be set together"),
        (around([[1, 0, 0]]), "start.p: the axis of a cone has two coordinates, not both zero"),
        (around([[0, 0]]), "start.p: the axis of a cone has two coordinates, not both zero"),
        (around({"of_problem": [0]}), "start.p.of_problem: planar problems provide no starts; give points"),
        (around([[1, 0]], head_ratio=1.0), "cone: a joint path cannot be restricted to a cone"),
        (spec(head_ratio=1.0, loss="correlation"), "loss: the joint path needs the logistic loss"),
    ]),
    *((partial(trace, problem, given), message) for problem, given, message in [
        (RandomSphere(trials=1, n=2, T=3, d=4, seed=0).build(), spec(), "need planar keys"),
        (scored(([[1, 0], [0, 1]], [1, 1])), spec(), "the risk does not depend on p"),
        (PROBLEMS["1a"], spec(head_ratio=1.0), "head_ratio: must be set for problems with a trainable head"),
        (PROBLEMS["3a"], spec(), "head_ratio: must be set for problems with a trainable head"),
    ]),
]  # fmt: skip
# Shapes that do not fit, with the setting that is named.
MISFITS = [
    (spec(head_ratio=1.0), PLANAR, "head_ratio", "the problem has a fixed head: it has no radius"),
    (spec(), replace(PLANAR, fixed_head=False), "head_ratio", "the problem has a head to be trained: give its ratio"),
    (spec(), replace(PLANAR, planar=False), "problem", "the problem is not planar"),
]


def test_contradictory_settings_and_unsuitable_problems_are_refused(monkeypatch):
    assert_refused(REFUSALS)
    monkeypatch.delattr(Exponential, "log_excess")
    with pytest.raises(ValueError, match="loss: exponential does not define log_excess"):
        RegularizationPath(**spec(loss="exponential"))
    for given, shape, key, message in MISFITS:
        with pytest.raises(IncompatibleRunError) as raised:
            RegularizationPath(**given).check(shape)
        assert (raised.value.key, str(raised.value)) == (key, message)
    RegularizationPath(**around({"radius": 2.0, "every": 90.0})).check(PLANAR)


def test_tied_optimal_tokens_count_as_one_also_up_to_rounding():
    # Theorem 8: the path reaches one of the two solutions of ATT-SVM'.
    points = path(PROBLEMS["tied"], radii=[10, 100, 1000])
    assert (np.diff(np.abs(angle(points))) <= 1e-9).all()
    assert np.abs(angle(points))[1:].max() <= 1e-7
    # If the two tokens did not tie, p would have to separate them: (1, 0.5) / 1.25 would not do.
    tokens = [[1, 0.5], [1, 0.5 - 1e-3], [0, 0]]
    same, rounded = (path(scored((tokens, [0.3, score, 0])), radii=[100, 1000]) for score in (0.3, 0.1 + 0.2))
    np.testing.assert_allclose(rounded, same, rtol=1e-9)
    assert (np.abs(angle(same) - np.degrees(np.arctan2(0.5, 1))) <= 0.1).all()

"""Lemmas 8 and 9 of Max-margin: the risk along a ray, against many-digit arithmetic of the definition."""

import mpmath
import numpy as np
import pytest

from attention_dynamics.compute import compute_run
from attention_dynamics.measures.directional_risk import DirectionalRisk
from attention_dynamics.problems.scored_tokens import ScoredTokens
from attention_dynamics.regularization.rays import Rays
from attention_dynamics.training import IncompatibleRunError

INPUTS = [
    {"tokens": [[0, 1], [0, 0]], "scores": [1, 0], "label": 1},
    {"tokens": [[1.5, -0.5], [0.5, 1.5]], "scores": [1, 0], "label": 1},
]
RADII = [5, 40]


@pytest.fixture(scope="module")
def run():
    rays = Rays(loss="logistic", radii=RADII, start={"p": {"radius": 2, "every": 37}})
    return compute_run(ScoredTokens(inputs=INPUTS).build(), rays, measures=[DirectionalRisk()])


def exact_excess(run, q, R):
    """L(R q) - L(selected tokens) in 60 digits."""
    total = mpmath.mpf(0)
    for one in INPUTS:
        logits = [R * mpmath.fdot(q, token) for token in one["tokens"]]
        s = [mpmath.exp(x) for x in logits]
        margin = mpmath.fdot(s, one["scores"]) / mpmath.fsum(s)
        limit = one["scores"][logits.index(max(logits))]
        total += mpmath.log1p(mpmath.exp(-margin)) - mpmath.log1p(mpmath.exp(-limit))
    return total / len(INPUTS)


def test_points_lie_on_rays(run):
    p = run.trajectory["p"][:, 0]
    np.testing.assert_allclose(np.linalg.norm(p, axis=-1), [[1] * 10, [5] * 10, [40] * 10])
    np.testing.assert_allclose(p[1], 5 * p[0])


def test_origin_has_no_ray():
    problem = ScoredTokens(inputs=INPUTS).build()
    for points in ([[1, 0], [0, 0]], {"x": [-1, 1], "y": [-1, 1], "spacing": 1}):
        rays = Rays(loss="logistic", radii=RADII, start={"p": points})
        for use, argument in ((rays.train, problem), (rays.check, ScoredTokens(inputs=INPUTS).shape)):
            with pytest.raises(IncompatibleRunError, match="one of the points is the origin"):
                use(argument)


@pytest.mark.parametrize("record", [1, 2])
def test_excess_agrees_with_high_precision(run, record):
    with mpmath.workdps(60):
        for k, q in enumerate(run.trajectory["p"][0, 0, :, :2].tolist()):
            exact = exact_excess(run, [mpmath.mpf(x) for x in q], run.steps[record])
            assert run.series["excess_sign"][record, 0, k] == mpmath.sign(exact)
            assert run.series["log_excess"][record, 0, k] == pytest.approx(float(mpmath.log(abs(exact))), abs=1e-8)


def test_margins_and_neighbors_match_gmm_direction():
    problem = ScoredTokens(inputs=INPUTS).build()
    rays = Rays(loss="logistic", radii=RADII, start={"p": [[3, 1], [0, 1], [0, -1]]})
    series = compute_run(problem, rays, measures=[DirectionalRisk()]).series
    # GMM has both constraints active, LMM that of the first input; (0, -1) selects the worse token of that input.
    np.testing.assert_allclose(series["margin"][0, 0], [1 / np.sqrt(10), 1, 1])
    np.testing.assert_allclose(series["margin_gap"][0, 0], [np.inf, 1, 1])
    np.testing.assert_array_equal(series["neighbors"][0, 0], [2, 1, 1])
    np.testing.assert_array_equal(series["neighbor_optimal"][0, 0], [1, 1, -1])
    np.testing.assert_array_equal(series["excess_sign"][2, 0], [1, 1, -1])

"""Directions other than W_mm (Fast rates): the data, the condition in many digits, and which input is left out."""

import mpmath
import numpy as np
import pytest
from sklearn.svm import SVC

from attention_dynamics.papers.fast_rates import left_out
from attention_dynamics.papers.fast_rates.left_out import FROM_OTHERS, FROM_ZERO
from attention_dynamics.problems.left_out_input import LeftOutInput
from attention_dynamics.run import Run
from attention_dynamics.training import Training

SIZES = {"datasets": 6, "n": 6, "T": 4, "d": 8, "norm": 1.5, "multiple": 100}


@pytest.fixture(scope="module")
def problem():
    return LeftOutInput(**SIZES).build()


def trained(problem, steps, step_size=1.0):
    training = Training.of({
        "kind": "gradient_descent", "model": "self_attention", "loss": "logistic", "steps": steps,
        "optimizer": {"kind": "normalized_gd", "step_size": step_size}, "start": {"W": {"of_problem": [0, 1]}},
    })  # fmt: skip
    return Run(training=training, problem=problem, trajectory=training.train(problem))


def exact_margins(problem, k, W):
    """Smallest margin of each input's optimal token over another, one inner product after the other."""
    inputs = zip(problem.keys[k], problem.optimal[k], strict=True)
    return [min(float(K[best] @ W - K[t] @ W) for t in range(len(K)) if t != best) for K, best in inputs]


def test_scores_of_the_other_tokens_are_exactly_zero(problem):
    scores = problem.scores()
    assert (np.sort(scores, axis=-1)[..., :-1] == 0).all()
    np.testing.assert_allclose(scores.max(-1), 1)
    best = np.take_along_axis(problem.tokens, problem.optimal[..., None, None], axis=2)[:, :, 0]
    np.testing.assert_allclose(best[:, 0], -best[:, -1])


def test_starts_are_zero_and_the_svm_of_all_inputs_but_one(problem):
    assert not problem.starts["W"][:, FROM_ZERO].any()
    indices, margins = left_out.left_out(problem)
    for k in range(6):
        W = problem.starts["W"][k, FROM_OTHERS] / 100
        found = exact_margins(problem, k, W)
        assert indices[k] == np.argmin(found)
        assert sorted(found)[1] == pytest.approx(1, abs=1e-7)
        assert margins[k] == pytest.approx(min(found), abs=1e-6)
        # A classifier without a bias: every constraint of the other inputs and its opposite.
        inputs = enumerate(zip(problem.keys[k], problem.optimal[k], strict=True))
        differences = [keys[best] - np.delete(keys, best, axis=0) for i, (keys, best) in inputs if i != indices[k]]
        rows = np.concatenate(differences)
        svc = SVC(kernel="linear", C=1e9, tol=1e-10).fit(np.vstack([rows, -rows]), np.repeat([1, -1], len(rows)))
        assert np.linalg.norm(W) == pytest.approx(np.linalg.norm(svc.coef_), rel=1e-4)
        np.testing.assert_allclose(left_out.others_svm(problem)[k], W / np.linalg.norm(W), atol=1e-12)


def exact_pull(problem, k, i, W):
    """Norm of what input i adds to the gradient, in 400 digits of the textbook formula."""
    with mpmath.workdps(400):
        keys, gamma = problem.keys[k, i].tolist(), problem.scores()[k, i].tolist()
        weights = [mpmath.exp(mpmath.fdot(key, W)) for key in keys]
        s = [w / mpmath.fsum(weights) for w in weights]
        mean = mpmath.fdot(s, gamma)
        slope = 1 / (1 + mpmath.exp(mean))
        along = [slope * p * (g - mean) for p, g in zip(s, gamma, strict=True)]
        return mpmath.norm([mpmath.fdot(along, column) for column in zip(*keys, strict=True)])


def test_pulls_fall_as_the_condition_says(problem):
    """At R W' the left-out input pulls like exp(-mu R), with -mu its margin, and the others like exp(-R)."""
    indices, margins = left_out.left_out(problem)
    wrong = np.flatnonzero(margins < -0.2)
    assert len(wrong) >= 2
    for k in wrong[:2]:
        W = problem.starts["W"][k, FROM_OTHERS] / 100
        pulls = []
        for R in (150, 200):
            scaled = [mpmath.mpf(R) * x for x in W.tolist()]
            each = [exact_pull(problem, k, i, scaled) for i in range(6)]
            own = each.pop(indices[k])
            pulls.append((own, max(each)))
        own, others = (float(mpmath.log(pulls[1][m] / pulls[0][m])) / 50 for m in (0, 1))
        assert own == pytest.approx(margins[k], rel=1e-3)
        assert others == pytest.approx(-1, rel=1e-3)


def test_training_stays_exactly_where_the_margin_is_below_minus_one():
    problem = LeftOutInput(**SIZES | {"datasets": 40, "first_seed": 500, "multiple": 300}).build()
    _, margins = left_out.left_out(problem)
    clear = np.abs(margins + 1) > 0.03
    assert (margins < -1).sum() >= 5
    run = trained(problem, steps=1200)
    stays = left_out.stays_wrong(run, FROM_OTHERS)
    np.testing.assert_array_equal(stays[clear], (margins < -1)[clear])
    assert left_out.cosines_with_others(run, FROM_OTHERS)[-1, stays].min() > 0.999


def test_wrong_tokens_are_those_with_a_larger_logit(problem):
    run = trained(problem, steps=3, step_size=0.5)
    found = left_out.selects_wrong_token(run, FROM_ZERO)
    for k in range(6):
        margins = exact_margins(problem, k, run.trajectory["W"][-1, k, FROM_ZERO])
        np.testing.assert_array_equal(found[k], np.array(margins) < 0)
    assert np.isnan(left_out.cosines_with_others(run, FROM_ZERO)[0]).all()

"""The data of Fast rates: geometry, independence of the data sets, and logistic regression on the constraints."""

import numpy as np
import pytest
from scipy.special import expit
from sklearn.svm import SVC

from attention_dynamics.compute import compute_run
from attention_dynamics.margins.attention_svm import AttentionSVM
from attention_dynamics.margins.label_svm import LabelSVM
from attention_dynamics.measures.direction import Direction
from attention_dynamics.measures.rates import Rates
from attention_dynamics.problems.nearly_orthogonal import NearlyOrthogonal
from attention_dynamics.problems.orthogonal_constraints import OrthogonalConstraints
from attention_dynamics.training import Training

SMALL = {"seeds": [0, 7], "n": 6, "T": 4, "d": 30}


def best(problem):
    return np.take_along_axis(problem.tokens, problem.optimal[..., None, None], axis=2)[:, :, 0]


def others(problem):
    at = np.arange(problem.tokens.shape[2]) != problem.optimal[..., None]
    return problem.tokens[at].reshape(len(problem.tokens), -1, problem.tokens.shape[-1])


def test_optimal_tokens_are_two_class_tokens():
    for antipodal, product in ((False, 0.0), (True, -4.0)):
        problem = NearlyOrthogonal(**SMALL, antipodal=antipodal, norm=2.0).build()
        gram = best(problem) @ best(problem).swapaxes(1, 2)
        same = problem.labels[:, :, None] == problem.labels[:, None]
        np.testing.assert_allclose(gram, np.where(same, 4.0, product), atol=1e-12)
        assert problem.labels[0].tolist() == [1, 1, 1, -1, -1, -1]


def test_scores_are_one_and_zero():
    for antipodal in (False, True):
        scores = NearlyOrthogonal(**SMALL, antipodal=antipodal).build().scores()
        np.testing.assert_allclose(np.sort(scores, axis=-1), np.broadcast_to([0, 0, 0, 1], scores.shape), atol=1e-12)
    unequal = np.sort(NearlyOrthogonal(**SMALL, projected=False).build().scores(), axis=-1)
    np.testing.assert_allclose(unequal[..., -1], 1, atol=1e-12)
    assert np.ptp(unequal[..., :-1], axis=-1).min() > 1e-3


def test_noise_has_unit_expected_length_and_is_orthogonal_to_classes():
    problem = NearlyOrthogonal(seeds=[3], n=40, T=6, d=200).build()
    assert np.abs(others(problem) @ best(problem).swapaxes(1, 2)).max() < 1e-12
    np.testing.assert_allclose(np.square(others(problem)).sum(-1).mean(), 198 / 200, rtol=0.03)


def test_noise_of_size_sigma_is_added_to_optimal_tokens():
    quiet, loud = (NearlyOrthogonal(seeds=[3], n=40, T=6, d=200, sigma=s).build() for s in (0.0, 0.5))
    # Coordinates are of each problem's own span; lengths are not: 1 + sigma^2 on average.
    np.testing.assert_allclose(np.square(best(quiet)).sum(-1), 1, atol=1e-12)
    np.testing.assert_allclose(np.square(best(loud)).sum(-1).mean(), 1.25, rtol=0.05)


def test_query_can_be_noise():
    optimal = NearlyOrthogonal(seeds=list(range(20)), n=20, T=3, d=10, noise_query=True).build().optimal
    assert set(np.unique(optimal)) == {1, 2}
    assert set(np.unique(NearlyOrthogonal(seeds=list(range(20)), n=20, T=3, d=10).build().optimal)) == {0, 1, 2}


def test_starts_have_requested_norms():
    problem = NearlyOrthogonal(**SMALL, start_norms=[0, 1, 10]).build()
    np.testing.assert_allclose(np.linalg.norm(problem.starts["W"], axis=-1), [[0, 1, 10]] * 2, atol=1e-12)
    joint = NearlyOrthogonal(**SMALL, head_start=0.01).build()
    np.testing.assert_allclose(np.linalg.norm(joint.starts["v"], axis=-1), 0.01, rtol=1e-12)


def test_data_set_depends_only_on_own_seed_and_setting():
    batch = NearlyOrthogonal(seeds=[4, 7], n=6, T=4, d=[30, 8], sigma=[0, 1]).build()
    assert batch.settings["seed"].tolist() == [4] * 4 + [7] * 4
    assert batch.settings["d"].tolist() == [30, 30, 8, 8] * 2
    assert batch.settings["sigma"].tolist() == [0, 1] * 4
    for row in range(8):
        seed, d, sigma = (batch.settings[name][row] for name in ("seed", "d", "sigma"))
        alone = NearlyOrthogonal(seeds=[int(seed)], n=6, T=4, d=int(d), sigma=float(sigma)).build()
        width = alone.tokens.shape[-1]
        assert np.array_equal(batch.tokens[row, ..., :width], alone.tokens[0])
        assert not batch.tokens[row, ..., width:].any()
        assert np.array_equal(batch.keys[row], alone.keys[0])


def matrices(problem, k):
    """(x_opt - x_t) x_1' of every constraint of a data set, as matrices."""
    inputs = zip(problem.tokens[k], problem.optimal[k], strict=True)
    return np.array([np.outer(x[best] - x[t], x[0]) for x, best in inputs for t in range(len(x)) if t != best])


@pytest.fixture(scope="module")
def sequences():
    return NearlyOrthogonal(**SMALL).build()


@pytest.fixture(scope="module")
def examples():
    return OrthogonalConstraints(**SMALL).build()


@pytest.mark.parametrize("k", [0, 1])
def test_examples_have_inner_products_of_the_constraints_and_their_classifier_is_w_mm(sequences, examples, k):
    flat, found = matrices(sequences, k).reshape(18, -1), examples.tokens[k, :, 0]
    np.testing.assert_allclose(found @ found.T, flat @ flat.T, atol=1e-12)
    own = LabelSVM().solve(examples, k)
    np.testing.assert_allclose(own.weights, AttentionSVM().solve(sequences, k).weights, atol=1e-7)
    # A classifier of scikit-learn without a bias: every example and its opposite.
    svc = SVC(kernel="linear", C=1e9, tol=1e-10).fit(np.vstack([flat, -flat]), np.repeat([1, -1], 18))
    assert np.linalg.norm(own.weights) == pytest.approx(np.linalg.norm(svc.coef_), rel=1e-5)


@pytest.mark.parametrize("kind", ["gd", "normalized_gd", "polyak"])
def test_training_is_logistic_regression_on_matrices(sequences, examples, kind):
    optimizer = {"kind": kind, **({"c": 2} if kind == "polyak" else {"step_size": 3.0})}
    settings = {"kind": "gradient_descent", "model": "self_attention", "loss": "logistic", "steps": 40}
    training = Training.of({**settings, "optimizer": optimizer, "start": {"W": [[0]], "v": [[0]]}})
    run = compute_run(examples, training, references={"w_mm": LabelSVM()}, measures=[Rates(), Direction()])
    for k in range(2):
        features = matrices(sequences, k)
        W = np.zeros(features.shape[1:])
        for step in range(41):
            margins = (features * W).sum((1, 2))
            loss = np.log1p(np.exp(-margins)).mean()
            assert np.exp(run.series["log_gap"][step, k, 0]) == pytest.approx(loss, rel=1e-9)
            size = run.series["scaled_norm_w_mm"][step, k, 0] * run.references["w_mm"]["norm"][k]
            assert size == pytest.approx(np.linalg.norm(W), rel=1e-9)
            gradient = -(expit(-margins)[:, None, None] * features).mean(0)
            norm = np.linalg.norm(gradient)
            W -= {"gd": 3.0, "normalized_gd": 3.0 / norm, "polyak": loss / (2 * norm**2)}[kind] * gradient
    assert not run.trajectory["W"].any()

"""Linear logistic regression beside self-attention: against its definition on matrices, and scikit-learn."""

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

SIZES = {"seeds": [0, 7], "n": 6, "T": 4, "d": 30}


def matrices(problem, k):
    """(x_opt - x_t) x_1' of every constraint of a data set, as matrices."""
    tokens = problem.tokens[k]
    return np.array(
        [
            np.outer(x[best] - x[t], x[0])
            for x, best in zip(tokens, problem.optimal[k], strict=True)
            for t in range(len(x))
            if t != best
        ]
    )


@pytest.fixture(scope="module")
def sequences():
    return NearlyOrthogonal(**SIZES).build()


@pytest.fixture(scope="module")
def examples():
    return OrthogonalConstraints(**SIZES).build()


def test_shape_is_that_of_what_is_built(examples):
    shape = OrthogonalConstraints(**SIZES).shape
    assert examples.tokens.shape == (shape.problems, shape.inputs, shape.tokens, shape.dimension)
    assert examples.keys.shape[-1] == shape.key_dimension
    assert examples.head is None
    assert {name: set(values) for name, values in examples.settings.items()} == {
        name: set(values) for name, values in shape.settings.items()
    }


@pytest.mark.parametrize("k", [0, 1])
def test_examples_have_the_inner_products_of_the_constraints(sequences, examples, k):
    flat = matrices(sequences, k).reshape(18, -1)
    found = examples.tokens[k, :, 0]
    np.testing.assert_allclose(found @ found.T, flat @ flat.T, atol=1e-12)


@pytest.mark.parametrize("k", [0, 1])
def test_max_margin_classifier_is_w_mm_and_that_of_scikit_learn(sequences, examples, k):
    own = LabelSVM().solve(examples, k)
    np.testing.assert_allclose(own.weights, AttentionSVM().solve(sequences, k).weights, atol=1e-7)
    # A classifier without a bias: every example and its opposite.
    flat = matrices(sequences, k).reshape(18, -1)
    svc = SVC(kernel="linear", C=1e9, tol=1e-10).fit(np.vstack([flat, -flat]), np.repeat([1, -1], 18))
    assert np.linalg.norm(own.weights) == pytest.approx(np.linalg.norm(svc.coef_), rel=1e-5)


@pytest.mark.parametrize("kind", ["gd", "normalized_gd", "polyak"])
def test_training_is_logistic_regression_on_matrices(sequences, examples, kind):
    optimizer = {"kind": kind, **({"c": 2} if kind == "polyak" else {"step_size": 3.0})}
    settings = {"kind": "gradient_descent", "model": "self_attention", "loss": "logistic", "steps": 40}
    training = Training.of({**settings, "optimizer": optimizer, "start": {"p": [[0]], "v": [[0]]}})
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
    assert not run.trajectory["p"].any()

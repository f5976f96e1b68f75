"""Self-attention in the span of its keys: against d x d matrices, against high precision, and the lemma about W_mm."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from attention_dynamics.attention.descent import descend
from attention_dynamics.attention.losses.logistic import Logistic
from attention_dynamics.attention.models.prompt_attention import PromptAttention
from attention_dynamics.attention.models.self_attention import SelfAttention
from attention_dynamics.margins.attention_svm import attention_svm
from attention_dynamics.optim.gd import GD
from attention_dynamics.optim.normalized_gd import NormalizedGD
from attention_dynamics.optim.polyak import Polyak
from attention_dynamics.problems.nearly_orthogonal import NearlyOrthogonal
from attention_dynamics.problems.problem import Problem, with_fixed_head
from attention_dynamics.problems.spans import span_keys

SMALL = {"seeds": [0, 7], "n": 4, "T": 3, "d": 9}
EXAMPLE_1 = {"seeds": [0, 101], "n": 20, "T": 6, "d": 200, "start_norms": [1]}
NGD = NormalizedGD(step_size=0.5)
ORIGIN = {"W": np.zeros((1, 1))}


def model_of(problem, precision="stable", kind=SelfAttention):
    return kind().bind(problem, Logistic(), precision)


@pytest.fixture(scope="module")
def example():
    return NearlyOrthogonal(**EXAMPLE_1).build()


def as_matrix_problem(tokens, labels, head) -> Problem:
    """Return the problem whose p is the d x d matrix W itself."""
    return replace(
        with_fixed_head(tokens[None], labels[None], np.eye(tokens.shape[-1]), head[None]),
        queries=tokens[None, :, 0],
    )


@pytest.mark.parametrize("optimizer", [GD(step_size=2.0), NGD, Polyak(c=2.0)])
def test_training_in_span_equals_training_matrix(optimizer):
    rng = np.random.default_rng(3)
    tokens, weights, head = (rng.standard_normal(shape) for shape in ((4, 3, 5), (5, 5), 5))
    labels = np.array([1.0, -1.0, 1.0, -1.0])
    keys, start = span_keys(tokens, weights)
    full = as_matrix_problem(tokens, labels, head)
    span = replace(full, queries=None, own_keys=keys[None])

    def path(model, name, begin):
        return descend(model, {name: optimizer}, {name: begin.reshape(1, -1)}, record_steps=range(60))[name][:, 0, 0]

    matrix, vector = path(model_of(full), "W", weights), path(model_of(span), "W", start)
    np.testing.assert_allclose(matrix @ full.keys[0].reshape(12, -1).T, vector @ keys.reshape(12, -1).T, atol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(matrix, axis=-1), np.linalg.norm(vector, axis=-1), rtol=1e-10)
    # The model with wide keys in matrix products is prompt attention.
    same = path(model_of(full, kind=PromptAttention), "p", weights)
    np.testing.assert_allclose(matrix, same, atol=1e-9)


def test_joint_training_matches_textbook():
    """W and u as they are written, differentiated automatically, each normalized, with the two decaying schedules."""
    problem = NearlyOrthogonal(**SMALL, noise_query=True, norm=2.0, head_start=0.01).build()
    optimizers = {"W": NormalizedGD(step_size=3.0, decay=1.0), "v": NormalizedGD(step_size=1.0, decay=2 / 3)}
    trained = descend(model_of(problem), optimizers, {**ORIGIN, "v": problem.starts["v"]}, record_steps=range(40))
    for k in range(2):
        tokens, labels = torch.tensor(problem.tokens[k]), torch.tensor(problem.labels[k])
        W = torch.zeros(tokens.shape[-1], tokens.shape[-1], dtype=torch.float64, requires_grad=True)
        u = torch.tensor(problem.starts["v"][k, 0], requires_grad=True)
        for t in range(40):
            np.testing.assert_allclose(np.linalg.norm(trained["W"][t, k, 0]), W.detach().norm(), atol=1e-9)
            np.testing.assert_allclose(trained["v"][t, k, 0], u.detach(), atol=1e-9)
            attention = torch.einsum("itd,de,ie->it", tokens, W, tokens[:, 0]).softmax(-1)
            margins = labels * torch.einsum("it,itd,d->i", attention, tokens, u)
            torch.nn.functional.softplus(-margins).mean().backward()
            with torch.no_grad():
                W -= 3.0 / (t + 1) * W.grad / W.grad.norm()
                u -= 1.0 / (t + 1) ** (2 / 3) * u.grad / u.grad.norm()
            W.grad, u.grad = None, None


def test_textbook_gradient_loses_direction_near_step_300(example):
    """NGD with step size 0.5: once 1 - s_opt is below the rounding of s_opt, all that is left is rounding."""
    recorded = range(601)
    exact, textbook = (
        descend(model_of(example, precision), {"W": NGD}, ORIGIN, record_steps=recorded)["W"][:, :, 0]
        for precision in ("stable", "float64")
    )

    def turned(t):
        """Angle between the two next steps, in each data set."""
        one, other = (run[t + 1] - run[t] for run in (exact, textbook))
        lengths = np.linalg.norm(one, axis=-1) * np.linalg.norm(other, axis=-1)
        return np.degrees(np.arccos(((one * other).sum(-1) / np.maximum(lengths, 1e-300)).clip(-1, 1)))

    assert turned(200).max() < 1
    failed = [next(t for t in range(600) if turned(t)[k] > 10) for k in range(2)]
    assert 240 < min(failed) <= max(failed) < 360


@pytest.mark.parametrize("antipodal", [False, True])
def test_all_weights_descend_towards_max_margin_solution(antipodal):
    """<-G / |G|, W_mm> >= 1 / (2 B^2) at random W of all sizes, so that there are no stationary points."""
    problem = NearlyOrthogonal(seeds=[0, 100], n=20, T=6, d=200, antipodal=antipodal).build()
    bounds = 1 / (2 * np.square(problem.tokens).sum(-1).max((1, 2)))
    rng = np.random.default_rng(0)
    starts = rng.standard_normal((300, problem.keys.shape[-1])) * np.geomspace(1e-3, 1e2, 300)[:, None]
    # Norms up to 1100. Far beyond, s_opt is less than the 1e-16 by which the scores of the others differ in rounding.
    model = model_of(problem)
    gradient = model.gradient(model.initial({"W": starts}))["W"].direction
    for k in range(2):
        w_mm = attention_svm(problem.keys[k], problem.optimal[k]).weights
        along = -(gradient[k] @ w_mm) / np.linalg.norm(gradient[k], axis=-1)
        assert along.min() >= bounds[k]


def test_infimum_of_risk_is_mean_loss_of_optimal_tokens(example):
    model = model_of(example)
    start = model.initial({"W": example.starts["W"]})
    floor = Logistic().value(example.scores().max(-1)).mean(-1)[:, None]
    np.testing.assert_allclose(np.exp(model.log_gap(start)), model.risk(start) - floor, rtol=1e-10)

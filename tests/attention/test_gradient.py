"""The gradient of attention: against automatic differentiation, against extended precision, and its symmetries."""

import itertools

import mpmath
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_dynamics.attention.losses.correlation import Correlation
from attention_dynamics.attention.losses.exponential import Exponential
from attention_dynamics.attention.losses.logistic import Logistic
from attention_dynamics.attention.models.prompt_attention import PromptAttention
from attention_dynamics.attention.models.self_attention import SelfAttention
from attention_dynamics.attention.models.weight_attention import WeightAttention
from attention_dynamics.optim.gradient import norm
from attention_dynamics.problems.problem import Problem, with_fixed_head
from helpers.planar_problems import PROBLEMS, scored

LOSSES = {"correlation": Correlation(), "exponential": Exponential(), "logistic": Logistic()}
LOSS = {
    "correlation": lambda m: -m,
    "exponential": lambda m: torch.exp(-m),
    "logistic": lambda m: torch.log1p(torch.exp(-m)),
}
SLOPE = {
    "correlation": lambda m: -1,
    "exponential": lambda m: -mpmath.exp(-m),
    "logistic": lambda m: -1 / (1 + mpmath.exp(m)),
}
FORMS = ("p", "W", "W transposed", "self-attention")
NORMS = (20, 60, 200, 700, 2000)

some = settings(deadline=None, max_examples=40, derandomize=True)
seeds, losses = st.integers(0, 10**6), st.sampled_from(sorted(LOSS))
norms = st.floats(-1, 3.3).map(lambda exponent: 10**exponent)


def random_problem(rng, problems=1, n=3, T=4, d=3, *, joint=False) -> Problem:
    tokens, labels = rng.standard_normal((problems, n, T, d)), rng.choice([-1.0, 1.0], (problems, n))
    key_weights = rng.standard_normal((d, d))
    if joint:
        return Problem(tokens, labels, key_weights, np.zeros((problems, n), dtype=int))
    return with_fixed_head(tokens, labels, key_weights, rng.standard_normal((problems, d)))


def build(problem, loss, form="p", precision="stable"):
    query = np.linspace(-1.0, 1.5, problem.keys.shape[-1]).tolist()
    kinds = {"p": PromptAttention, "self-attention": SelfAttention}
    model = kinds[form]() if form in kinds else WeightAttention(query=query, transposed=form != "W")
    return model.bind(problem, LOSSES[loss], precision)


def random_parameters(rng, problem, form="p", starts=1, size=1.0) -> dict[str, np.ndarray]:
    """p or W, and v where the problem has no head; every start has Frobenius norm ``size``."""
    batch, d = (len(problem.tokens), starts), problem.keys.shape[-1]
    # Self-attention has its W by rows.
    shapes = {"W": (*batch, d, d)} if form[0] == "W" else {"W" if form == "self-attention" else "p": (*batch, d)}
    if problem.head is None:
        shapes["v"] = (*batch, d)
    draws = {name: rng.standard_normal((*batch, np.prod(shape[2:]))) for name, shape in shapes.items()}
    return {
        name: (size * draw / np.linalg.norm(draw, axis=-1, keepdims=True)).reshape(shapes[name])
        for name, draw in draws.items()
    }


def torch_prompt(parameters, form, query):
    """Return p as a function of the parameters."""
    if form in ("p", "self-attention"):
        return parameters["p" if form == "p" else "W"]
    return (parameters["W"] if form == "W" else parameters["W"].mT) @ torch.tensor(query)


def by_autograd(problem, loss, parameters, form="p", query=(0.0,)) -> dict[str, np.ndarray]:
    """Automatic differentiation of eq. (1)."""
    leaves = {name: torch.tensor(value).requires_grad_() for name, value in parameters.items()}
    prompt = torch_prompt(leaves, form, query)
    X, Y, W = (torch.tensor(array) for array in (problem.tokens, problem.labels, problem.key_weights))
    v = leaves["v"] if "v" in leaves else torch.tensor(problem.head)[:, None]
    attention = torch.einsum("knti,ji,ksj->ksnt", X, W, prompt).softmax(-1)
    margin = Y[:, None] * torch.einsum("ksnt,knti,ksi->ksn", attention, X, v.expand(*attention.shape[:2], -1))
    risk = LOSS[loss](margin).mean(-1).sum()
    gradients = torch.autograd.grad(risk, list(leaves.values()))
    return {name: gradient.numpy() for name, gradient in zip(leaves, gradients, strict=True)}


def exact_gradient(problem, k, loss, p, v) -> dict[str, mpmath.matrix]:
    """Eq. (15a) and its counterpart in v for problem k, in extended precision."""
    logits = problem.keys[k] @ p
    # What S' cancels is as small as the smallest probability.
    with mpmath.workdps(80 + int(np.ptp(logits, axis=-1).max() / 2)):
        W, n = mpmath.matrix(problem.key_weights), len(logits)
        p, v = mpmath.matrix(p), mpmath.matrix(v)
        total = {"p": mpmath.zeros(len(p), 1), "v": mpmath.zeros(len(p), 1)}
        for i in range(n):
            X, Y = mpmath.matrix(problem.tokens[k, i]), int(problem.labels[k, i])
            K, gamma = X * W.T, Y * (X * v)
            weights = (K * p).apply(mpmath.exp)
            s = weights / sum(weights)
            slope = SLOPE[loss]((s.T * gamma)[0])
            total["p"] += slope * (K.T * (mpmath.diag(list(s)) - s * s.T) * gamma) / n
            total["v"] += slope * Y * (X.T * s) / n
        return total


def log_size(gradient) -> np.ndarray:
    return gradient.log_scale + np.log(norm(gradient.direction))


def unit(gradient) -> np.ndarray:
    size = norm(gradient.direction)
    return gradient.direction / size.reshape(*size.shape, *[1] * (gradient.direction.ndim - 2))


def assert_exact(gradient, expected) -> None:
    """Assert that the gradient of the only problem and start has the expected direction and size."""
    size = mpmath.norm(expected)
    direction = np.array([float(entry / size) for entry in expected])
    assert np.linalg.norm(unit(gradient)[0, 0].ravel() - direction) <= 1e-10
    assert abs(log_size(gradient).item() - float(mpmath.log(size))) <= 1e-9


def fig1b(size: float) -> tuple[Problem, dict[str, np.ndarray]]:
    """Return the tokens of Fig 1b, and p of a given length along the locally-optimal direction (1, 0)."""
    return PROBLEMS["1b"], {"p": np.array([[[size, 0.0, 0.0]]])}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("loss", LOSS)
def test_gradient_is_derivative_of_risk(loss, form):
    # A single token has no gradient in p.
    for shape, T, joint in itertools.product([(1, 1), (3, 1), (1, 4), (2, 3)], [1, 5], [False, True]):
        rng = np.random.default_rng(shape)
        problem = random_problem(rng, shape[0], 4, T, d=6, joint=joint)
        parameters = random_parameters(rng, problem, form, shape[1], 1.5)
        for precision in ("stable", "float64"):
            model = build(problem, loss, form, precision)
            expected = by_autograd(problem, loss, parameters, form, getattr(model, "query", (0.0,)))
            found = model.gradient(parameters)
            assert found.keys() == expected.keys()
            for name, gradient in found.items():
                assert norm(gradient.value() - expected[name]).max() <= 1e-10 * norm(expected[name]).min()


def far_from_origin():
    """Problems with parameters of all sizes, and the form of the model."""
    for size, joint in itertools.product(NORMS, [False, True]):
        rng = np.random.default_rng(size)
        problem = random_problem(rng, joint=joint)
        yield problem, "p", random_parameters(rng, problem, size=size)
    for form in FORMS[1:]:
        rng = np.random.default_rng(1)
        problem = random_problem(rng)
        yield problem, form, random_parameters(rng, problem, form, size=400.0)
    for size in (50.0, 100.0, 300.0, 2000.0):
        problem, parameters = fig1b(size)
        yield problem, "p", parameters
    # The first input has nothing to say about p, but its probabilities stay even while the other input's saturate.
    problem = scored(([[0, 0], [0, 1]], [1, 1]), ([[1, 0], [0, 0]], [1, 0]))
    for size in (20.0, 200.0, 400.0, 1000.0):
        yield problem, "p", {"p": np.array([[[size, 0.0, 0.0]]])}


@pytest.mark.slow
@pytest.mark.parametrize("loss", LOSS)
def test_gradient_is_exact_far_from_origin(loss):
    for problem, form, parameters in far_from_origin():
        model = build(problem, loss, form)
        v = parameters["v"][0, 0] if problem.head is None else problem.head[0]
        expected = exact_gradient(problem, 0, loss, model.prompt(parameters)[0, 0], v)
        if form == "self-attention":
            expected["W"] = expected["p"]
        if form[0] == "W":
            query = mpmath.matrix(model.query)
            expected["W"] = expected["p"] * query.T if form == "W" else query * expected["p"].T
        for name, gradient in model.gradient(parameters).items():
            assert_exact(gradient, expected[name])
    problem, parameters = fig1b(2000.0)
    gradient = build(problem, loss).gradient(parameters)["p"]
    assert gradient.log_scale.item() < -745
    assert not gradient.value().any()


@some
@given(
    seed=seeds, size=norms, loss=losses, form=st.sampled_from(FORMS[:3]), joint=st.booleans(),
    batch=st.tuples(st.integers(1, 5), st.integers(1, 5)),
    n=st.integers(1, 20), T=st.integers(2, 20), d=st.sampled_from([2, 3, 6, 17, 64]),
)  # fmt: skip
def test_gradient_gives_same_bits_alone_and_in_batch(seed, size, loss, form, joint, batch, n, T, d):
    rng = np.random.default_rng(seed)
    problem = random_problem(rng, batch[0], n, T, d, joint=joint)
    parameters = random_parameters(rng, problem, form, batch[1], size)
    together = build(problem, loss, form).gradient(parameters)
    k, start = (int(rng.integers(count)) for count in batch)
    head = None if joint else problem.head[k : k + 1]
    alone = Problem(problem.tokens[[k]], problem.labels[[k]], problem.key_weights, problem.optimal[[k]], head)
    single = {name: value[k : k + 1, start : start + 1] for name, value in parameters.items()}
    for name, gradient in build(alone, loss, form).gradient(single).items():
        np.testing.assert_array_equal(gradient.direction[0, 0], together[name].direction[k, start])
        np.testing.assert_array_equal(gradient.log_scale[0, 0], together[name].log_scale[k, start])

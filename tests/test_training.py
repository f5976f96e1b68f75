"""The engine and its optimizers: steps, records, batches, failures, and Lemma 1."""

from contextlib import nullcontext
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch

from attention_dynamics.training import NumericalFailure
from attention_dynamics.attention.losses import correlation, logistic
from attention_dynamics.attention.models import prompt_attention, weight_attention
from attention_dynamics.optim import gd, normalized_gd
from attention_dynamics.optim.gradient import Moment, ScaledGradient, divisor, norm
from attention_dynamics.problems import labelled_tokens, random_sphere
from attention_dynamics.problems.planar import embed
from attention_dynamics.training import recorded_steps
from attention_dynamics.attention.initialization import starting_points
from attention_dynamics.trainers import gradient_descent
from attention_dynamics.attention.descent import descend, reproducible

QUERY = [1.2, -0.9, 0.8, 0.4]
FIRST = Moment(0, {}, lambda: torch.zeros(1, 1))
STARTS = np.array([[0.3, -0.2, 0.5, 0.1], [-1.0, 0.4, 0.0, 0.8]])


@pytest.fixture(autouse=True, scope="module")
def _one_thread():
    reproducible()


@pytest.fixture(scope="module")
def problem():
    return random_sphere.build(trials=3, n=4, T=5, d=4, seed=1)


def prompt_model(problem, loss=logistic):
    return prompt_attention.build(problem, loss, "stable", "cpu")


def weight_model(problem, transposed=False):
    return weight_attention.build(problem, logistic, "stable", "cpu", query=QUERY, transposed=transposed)


def run(model, step, starts=STARTS, steps=50, record_every=1, **step_arguments):
    """Train p (or the W that it amounts to)."""
    optimizers = dict.fromkeys(("p", "W"), partial(step, **step_arguments))
    return descend(model, optimizers, {"p": starts}, recorded=recorded_steps(steps, record_every))


def gradient_of(size: float, log_scale: float = 0.0) -> ScaledGradient:
    direction = torch.tensor([[[0.6, 0.0, -0.8]]], dtype=torch.float64)
    return ScaledGradient(size * direction, torch.tensor([[log_scale]], dtype=torch.float64))


@pytest.mark.parametrize("transposed", [False, True])
def test_training_weights_is_training_the_prompt(problem, transposed):
    query = np.array(QUERY)
    prompts = run(prompt_model(problem), gd.step, steps=2000, step_size=0.5)["p"]
    weights = run(weight_model(problem, transposed), gd.step, steps=2000, step_size=0.5 / (query @ query))["W"]
    image = prompts[..., :, None] * query / (query @ query)
    right, wrong = (image.mT, image) if transposed else (image, image.mT)
    assert np.abs(weights - right).max() <= 1e-10
    # The two conventions differ from the first iterate on, not by rounding.
    assert np.abs(weights - wrong).max((1, 2, 3, 4)).min() > 0.1


def test_gd_is_plain_gradient_descent(problem):
    trained = run(prompt_model(problem), gd.step, step_size=0.7)["p"]
    keys, scores = torch.tensor(problem.keys), torch.tensor(problem.scores())
    for k in range(3):
        for start, point in enumerate(STARTS):
            p = torch.tensor(point, requires_grad=True)
            optimizer = torch.optim.SGD([p], lr=0.7)
            for t in range(51):
                np.testing.assert_allclose(trained[t, k, start], p.detach(), rtol=0, atol=1e-12)
                optimizer.zero_grad()
                margins = ((keys[k] @ p).softmax(-1) * scores[k]).sum(-1)
                torch.nn.functional.softplus(-margins).mean().backward()
                optimizer.step()


def test_normalized_steps_all_have_the_step_length(problem):
    path = run(prompt_model(problem), normalized_gd.step, steps=200, step_size=0.1)["p"]
    np.testing.assert_allclose(np.linalg.norm(np.diff(path, axis=0), axis=-1), 0.1, rtol=1e-12)


@pytest.mark.parametrize("log_scale", [-1e4, 0.0, 1e4])
def test_a_normalized_step_does_not_depend_on_the_scale(log_scale):
    moved = normalized_gd.step(torch.zeros(1, 1, 3), gradient_of(3.0, log_scale), FIRST, step_size=0.1)
    torch.testing.assert_close(moved[0, 0].double(), torch.tensor([-0.06, 0.0, 0.08], dtype=torch.float64))


def test_a_zero_gradient_leaves_the_parameter_where_it_is():
    parameter = torch.tensor([[[1.0, 2.0, 3.0]]], dtype=torch.float64)
    for epsilon in (0.0, 1e-9):
        assert torch.equal(
            normalized_gd.step(parameter, gradient_of(0.0), FIRST, step_size=0.1, epsilon=epsilon), parameter
        )
    assert torch.equal(gd.step(parameter, gradient_of(0.0), FIRST, step_size=0.1), parameter)


@pytest.mark.parametrize(("dtype", "power"), [(torch.float32, -130), (torch.float32, 60), (torch.float64, -1040)])
def test_a_norm_is_right_where_squares_leave_the_floating_point_range(dtype, power):
    ordinary = torch.tensor([[[3.0, 4.0], [0.0, 0.0], [1.0, -1.0]]], dtype=dtype)
    expected = torch.tensor([[5.0, 0.0, 2.0**0.5]], dtype=dtype) * 2.0**power
    torch.testing.assert_close(norm(ordinary * 2.0**power), expected, rtol=1e-6, atol=0)
    # Others in the batch keep their bits.
    both = torch.cat([ordinary * 2.0**power, ordinary / 3])
    assert torch.equal(norm(both)[1:], (ordinary / 3).square().sum(-1).sqrt())


@pytest.mark.parametrize("size", [1e-170, 1e-300])
def test_a_normalized_step_has_its_length_where_the_textbooks_gradient_is_tiny(size):
    gradient = gradient_of(size)
    moved = normalized_gd.step(torch.zeros(1, 1, 3).double(), gradient, FIRST, step_size=0.1)
    torch.testing.assert_close(norm(moved), torch.full((1, 1), 0.1, dtype=torch.float64), rtol=1e-14, atol=0)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_divisor_is_the_size_itself_unless_that_is_zero(dtype):
    smallest = np.nextafter(torch.zeros((), dtype=dtype).numpy(), 1).item()
    sizes = torch.tensor([smallest, 3 * smallest, 1e-30, 2.0, np.inf, np.nan], dtype=dtype)
    torch.testing.assert_close(divisor(sizes), sizes, rtol=0, atol=0, equal_nan=True)
    assert torch.zeros(1, dtype=dtype) / divisor(torch.zeros(1, dtype=dtype)) == 0


@pytest.mark.parametrize("log_scale", [0.0, -5.0, -20.0, -30.0])
def test_the_guard_is_added_to_the_norm(log_scale):
    gradient, epsilon = gradient_of(3.0, log_scale), 1e-9
    moved = normalized_gd.step(torch.zeros(1, 1, 3).double(), gradient, FIRST, step_size=0.1, epsilon=epsilon)
    value = gradient.value()
    torch.testing.assert_close(moved, -0.1 * value / (norm(value) + epsilon), rtol=1e-14, atol=0)


def test_the_guard_freezes_what_lies_far_below_it():
    moved = normalized_gd.step(
        torch.zeros(1, 1, 3).double(), gradient_of(1.0, -100.0), FIRST, step_size=0.1, epsilon=1e-9
    )
    assert 0 < norm(moved).item() < 1e-30


@pytest.mark.parametrize(("record_every", "recorded"), [(4, [0, 4, 8, 10]), (5, [0, 5, 10]), (11, [0, 10])])
def test_the_last_iterate_is_always_recorded(problem, record_every, recorded):
    every = run(prompt_model(problem), gd.step, steps=10, step_size=0.5)
    some = run(prompt_model(problem), gd.step, steps=10, record_every=record_every, step_size=0.5)
    assert every["step"].tolist() == list(range(11))
    assert some["step"].tolist() == recorded
    np.testing.assert_array_equal(some["p"], every["p"][recorded])


def test_an_overflow_names_parameter_step_problem_and_start():
    positions = np.array([[1.0, 0.0], [0.0, 1.0]])[None, None].repeat(2, axis=0)
    scores = np.array([[[1.0, 1.0]], [[1e3, 0.0]]])
    model = prompt_model(embed(positions, scores, np.ones((2, 1))), correlation)
    # Problem 0 has equal scores and start 0 a softmax that is exactly saturated: neither has a gradient.
    starts = np.array([[1e4, 0.0], [0.0, 0.0]])
    with pytest.raises(NumericalFailure, match=r"^p is not finite at step 1 \(problem 1, start 1\)$") as raised:
        run(model, gd.step, starts=starts, step_size=1e308)
    assert raised.value.recorded["step"].tolist() == [0]
    np.testing.assert_array_equal(raised.value.recorded["p"][..., :2], np.broadcast_to(starts, (1, 2, 2, 2)))


@pytest.mark.parametrize("step", [gd.step, normalized_gd.step], ids=["gd", "normalized_gd"])
@pytest.mark.parametrize(
    "make", [prompt_model, weight_model, partial(weight_model, transposed=True)], ids=["p", "W", "W transposed"]
)
def test_a_batch_is_bit_identical_to_its_problems_and_starts_one_at_a_time(problem, make, step):
    together = run(make(problem), step, steps=60, step_size=0.3)
    for k in range(3):
        alone = replace(
            problem,
            **{name: getattr(problem, name)[k : k + 1] for name in ("tokens", "labels", "optimal", "head")},
        )
        for start in range(2):
            single = run(make(alone), step, starts=STARTS[[start]], steps=60, step_size=0.3)
            for name in together.keys() - {"step"}:
                np.testing.assert_array_equal(single[name][:, 0, 0], together[name][:, k, start])


JOINT = [
    {"tokens": [[1, 1], [0, 0]], "label": 1},
    {"tokens": [[1, -1], [0, 0]], "label": -1},
]
SPEC = {
    "model": {"kind": "prompt_attention"},
    "loss": "logistic",
    "optimizer": {"kind": "normalized_gd", "step_size": 0.1},
    "head_optimizer": None,
    "start": {"p": [[0, -1]], "v": [[-1, 0]]},
    "steps": 20,
    "record_every": 1,
    "record_digits": None,
    "precision": "stable",
    "device": "cpu",
}


@pytest.mark.parametrize(("head_step", "expected"), [(None, 0.1), (0.3, 0.3)])
def test_the_head_has_its_own_optimizer_where_it_is_given_one(head_step, expected):
    head = head_step and {"kind": "normalized_gd", "step_size": head_step}
    path = gradient_descent.train(labelled_tokens.build(inputs=JOINT), SPEC | {"head_optimizer": head})
    for name, length in {"p": 0.1, "v": expected}.items():
        np.testing.assert_allclose(np.linalg.norm(np.diff(path[name], axis=0), axis=-1), length, rtol=1e-12)


@pytest.mark.parametrize("precision", ["stable", "float64", "float32"])
@pytest.mark.parametrize("model", ["prompt_attention", "self_attention", "weight_attention"])
def test_training_without_autograd_changes_no_bit(model, precision, monkeypatch):
    arguments = {"query": [1.0, 2.0]} if model == "weight_attention" else {}
    spec = SPEC | {"model": {"kind": model, **arguments}, "precision": precision}

    def train():
        return gradient_descent.train(labelled_tokens.build(inputs=JOINT), spec)

    modes, switch = [], torch.inference_mode
    monkeypatch.setattr(gradient_descent.torch, "inference_mode", lambda mode: modes.append(mode) or switch(mode))
    fast = train()
    assert modes == [True]
    assert not np.array_equal(fast["p"][0], fast["p"][-1])
    monkeypatch.setattr(gradient_descent.torch, "inference_mode", lambda mode: nullcontext())
    usual = train()
    assert fast.keys() == usual.keys()
    for name, values in usual.items():
        np.testing.assert_array_equal(fast[name], values)


def test_both_parameters_step_from_the_same_iterate():
    problem = labelled_tokens.build(inputs=JOINT)
    model = prompt_model(problem)
    path = gradient_descent.train(problem, SPEC | {"optimizer": {"kind": "gd", "step_size": 2.0}, "steps": 1})
    before = {name: torch.tensor(path[name][0]) for name in ("p", "v")}
    for name, gradient in model.gradient(before).items():
        np.testing.assert_array_equal(path[name][1], before[name] - 2.0 * gradient.value())


@pytest.mark.parametrize(
    ("start", "message"),
    [
        ({"p": [[0, 0]]}, "head"),
        ({"p": [[0, 0]], "v": [[1, 0]], "q": [[0, 0]]}, "'q'"),
        ({"p": [[0, 0, 0]], "v": [[1, 0]]}, "3 coordinates"),
    ],
)
def test_a_start_that_does_not_fit_the_model_is_refused(start, message):
    with pytest.raises(ValueError, match=message):
        gradient_descent.train(labelled_tokens.build(inputs=JOINT), SPEC | {"start": start})


def test_a_query_that_does_not_fit_is_refused(problem):
    with pytest.raises(ValueError, match="query: 3 coordinates"):
        weight_attention.build(problem, logistic, "stable", "cpu", query=[1.0, 2.0, 3.0])


@pytest.mark.parametrize(
    ("x", "y", "spacing", "shape"),
    [([-2, 12], [-5, 5], 0.2, (51, 71)), ([0, 0.3], [0, 0.1], 0.1, (2, 4)), ([1, 1], [2, 2.5], 0.5, (2, 1))],
)
def test_a_grid_of_starts_includes_both_ends(x, y, spacing, shape):
    grid = starting_points({"x": x, "y": y, "spacing": spacing}).reshape(*shape, 2)
    np.testing.assert_allclose(grid[0, 0], [x[0], y[0]], atol=1e-12)
    np.testing.assert_allclose(grid[-1, -1], [x[1], y[1]], atol=1e-12)
    np.testing.assert_allclose(np.diff(grid[..., 0], axis=1), spacing, atol=1e-12)
    np.testing.assert_allclose(np.diff(grid[..., 1], axis=0), spacing, atol=1e-12)


def test_a_grid_whose_spacing_does_not_divide_the_interval_stays_inside():
    assert starting_points({"x": [0, 1], "y": [0, 0], "spacing": 0.4})[:, 0].tolist() == [0, 0.4, 0.8]


def test_listed_starts_are_taken_as_they_are():
    np.testing.assert_array_equal(starting_points([[1, 2], [3, 4]]), [[1.0, 2.0], [3.0, 4.0]])
    with pytest.raises(ValueError, match="inhomogeneous"):
        starting_points([[1, 2], [3]])

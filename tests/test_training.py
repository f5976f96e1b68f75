"""Full-batch training: steps, records, batches, failures, starts, and Lemma 1."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch
from pydantic import ValidationError

from attention_dynamics.attention.descent import descend
from attention_dynamics.attention.gradient_descent import GradientDescent
from attention_dynamics.attention.initialization import starts_of
from attention_dynamics.attention.losses.correlation import Correlation
from attention_dynamics.attention.losses.exponential import Exponential
from attention_dynamics.attention.losses.logistic import Logistic
from attention_dynamics.attention.models.prompt_attention import PromptAttention
from attention_dynamics.attention.models.self_attention import SelfAttention
from attention_dynamics.attention.models.weight_attention import WeightAttention
from attention_dynamics.attention.span_descent import SpanDescent
from attention_dynamics.optim.gd import GD
from attention_dynamics.optim.gradient import ScaledGradient, StepContext, clamp_to_tiny, norm
from attention_dynamics.optim.normalized_gd import NormalizedGD
from attention_dynamics.problems.labelled_tokens import LabelledTokens
from attention_dynamics.problems.planar import embed
from attention_dynamics.problems.random_queries import RandomQueries
from attention_dynamics.problems.random_sphere import RandomSphere
from attention_dynamics.problems.shape import Shape, TokenShape
from attention_dynamics.training import IncompatibleRunError, NumericalFailure, recorded_steps

QUERY = [1.2, -0.9, 0.8, 0.4]
FIRST = StepContext(0, {}, lambda: np.zeros((1, 1)))
STARTS = np.array([[0.3, -0.2, 0.5, 0.1], [-1.0, 0.4, 0.0, 0.8]])


@pytest.fixture(scope="module")
def problem():
    return RandomSphere(trials=3, n=4, T=5, d=4, seed=1).build()


def prompt_model(problem, loss=Logistic()):  # noqa: B008
    return PromptAttention().bind(problem, loss)


def weight_model(problem, transposed=False):
    return WeightAttention(query=QUERY, transposed=transposed).bind(problem, Logistic())


def run(model, optimizer, starts=STARTS, steps=50, record_every=1):
    """Train p (or the W that it amounts to)."""
    optimizers = dict.fromkeys(("p", "W"), optimizer)
    return descend(model, optimizers, {"p": starts}, recorded=recorded_steps(steps, record_every))


def gradient_of(size: float, log_scale: float = 0.0) -> ScaledGradient:
    return ScaledGradient(size * np.array([[[0.6, 0.0, -0.8]]]), np.array([[log_scale]]))


def moved(optimizer, gradient, parameter=None):
    """The parameter, by default the origin, after the first step."""
    parameter = np.zeros((1, 1, 3)) if parameter is None else parameter
    return optimizer.update(gradient, optimizer.init(parameter), parameter, FIRST)[0]


@pytest.mark.parametrize("transposed", [False, True])
def test_training_weights_is_training_the_prompt(problem, transposed):
    query = np.array(QUERY)
    prompts = run(prompt_model(problem), GD(step_size=0.5), steps=2000)["p"]
    weights = run(weight_model(problem, transposed), GD(step_size=0.5 / (query @ query)), steps=2000)["W"]
    image = prompts[..., :, None] * query / (query @ query)
    right, wrong = (image.mT, image) if transposed else (image, image.mT)
    assert np.abs(weights - right).max() <= 1e-10
    # The two conventions differ from the first iterate on, not by rounding.
    assert np.abs(weights - wrong).max((1, 2, 3, 4)).min() > 0.1


def test_gd_is_plain_gradient_descent(problem):
    trained = run(prompt_model(problem), GD(step_size=0.7))["p"]
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
    path = run(prompt_model(problem), NormalizedGD(step_size=0.1), steps=200)["p"]
    np.testing.assert_allclose(np.linalg.norm(np.diff(path, axis=0), axis=-1), 0.1, rtol=1e-12)


@pytest.mark.parametrize("log_scale", [-1e4, 0.0, 1e4])
def test_a_normalized_step_does_not_depend_on_the_scale(log_scale):
    after = moved(NormalizedGD(step_size=0.1), gradient_of(3.0, log_scale))
    np.testing.assert_allclose(after[0, 0], [-0.06, 0.0, 0.08], rtol=1e-14)


@pytest.mark.parametrize(("dtype", "power"), [("float32", -130), ("float32", 60), ("float64", -1040)])
def test_a_norm_is_right_where_squares_leave_the_floating_point_range(dtype, power):
    ordinary = np.array([[[3.0, 4.0], [0.0, 0.0], [1.0, -1.0]]], dtype)
    scale = ordinary.dtype.type(2.0**power)
    expected = np.array([[5.0, 0.0, 2.0**0.5]], dtype) * scale
    np.testing.assert_allclose(norm(ordinary * scale), expected, rtol=1e-6)
    assert norm(ordinary * scale).dtype == dtype
    # Others in the batch keep their bits.
    both = np.concatenate([ordinary * scale, ordinary / 3])
    np.testing.assert_array_equal(norm(both)[1:], norm(ordinary / 3))


@pytest.mark.parametrize("size", [1e-170, 1e-300])
def test_a_normalized_step_has_its_length_where_the_textbooks_gradient_is_tiny(size):
    np.testing.assert_allclose(norm(moved(NormalizedGD(step_size=0.1), gradient_of(size))), 0.1, rtol=1e-14)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_divisor_is_the_size_itself_unless_that_is_zero(dtype):
    smallest = np.nextafter(np.zeros((), dtype), 1, dtype=dtype)
    sizes = np.array([smallest, 3 * smallest, 1e-30, 2.0, np.inf, np.nan], dtype)
    np.testing.assert_array_equal(clamp_to_tiny(sizes), sizes)
    assert np.zeros(1, dtype) / clamp_to_tiny(np.zeros(1, dtype)) == 0


@pytest.mark.parametrize("log_scale", [0.0, -5.0, -20.0, -30.0])
def test_the_guard_is_added_to_the_norm(log_scale):
    gradient, epsilon = gradient_of(3.0, log_scale), 1e-9
    value = gradient.value()
    after = moved(NormalizedGD(step_size=0.1, epsilon=epsilon), gradient)
    np.testing.assert_allclose(after, -0.1 * value / (norm(value) + epsilon), rtol=1e-14)


def test_the_guard_freezes_what_lies_far_below_it():
    after = moved(NormalizedGD(step_size=0.1, epsilon=1e-9), gradient_of(1.0, -100.0))
    assert 0 < norm(after).item() < 1e-30


@pytest.mark.parametrize(("record_every", "recorded"), [(4, [0, 4, 8, 10]), (5, [0, 5, 10]), (11, [0, 10])])
def test_the_last_iterate_is_always_recorded(problem, record_every, recorded):
    every = run(prompt_model(problem), GD(step_size=0.5), steps=10)
    some = run(prompt_model(problem), GD(step_size=0.5), steps=10, record_every=record_every)
    assert every["step"].tolist() == list(range(11))
    assert some["step"].tolist() == recorded
    np.testing.assert_array_equal(some["p"], every["p"][recorded])


def test_an_overflow_names_parameter_step_problem_and_start():
    positions = np.array([[1.0, 0.0], [0.0, 1.0]])[None, None].repeat(2, axis=0)
    scores = np.array([[[1.0, 1.0]], [[1e3, 0.0]]])
    model = prompt_model(embed(positions, scores, np.ones((2, 1))), Correlation())
    # Problem 0 has equal scores and start 0 a softmax that is exactly saturated: neither has a gradient.
    starts = np.array([[1e4, 0.0], [0.0, 0.0]])
    with pytest.raises(NumericalFailure, match=r"^p is not finite at step 1 \(problem 1, start 1\)$") as raised:
        run(model, GD(step_size=1e308), starts=starts)
    assert raised.value.recorded["step"].tolist() == [0]
    np.testing.assert_array_equal(raised.value.recorded["p"][..., :2], np.broadcast_to(starts, (1, 2, 2, 2)))


@pytest.mark.parametrize("optimizer", [GD(step_size=0.3), NormalizedGD(step_size=0.3)], ids=["gd", "normalized_gd"])
@pytest.mark.parametrize(
    "make", [prompt_model, weight_model, partial(weight_model, transposed=True)], ids=["p", "W", "W transposed"]
)
def test_a_batch_is_bit_identical_to_its_problems_and_starts_one_at_a_time(problem, make, optimizer):
    together = run(make(problem), optimizer, steps=60)
    for k in range(3):
        for start in range(2):
            single = run(make(part(problem, [k])), optimizer, starts=STARTS[[start]], steps=60)
            for name in together.keys() - {"step"}:
                np.testing.assert_array_equal(single[name][:, 0, 0], together[name][:, k, start])


def part(problem, rows):
    """Some problems of a batch."""
    names = ("tokens", "labels", "optimal", "head", "queries", "own_keys")
    arrays = {name: getattr(problem, name) for name in names}
    return replace(problem, **{name: array[rows] for name, array in arrays.items() if array is not None})


def splits(count, sizes=(1, 2, 3, 7, 32)):
    """Batches of each size, the last of which may be a remainder."""
    return [range(first, min(first + size, count)) for size in sizes for first in range(0, count, size)]


@pytest.mark.parametrize("precision", ["stable", "float64", "float32"])
@pytest.mark.parametrize("joint", [False, True], ids=["fixed head", "joint"])
@pytest.mark.parametrize("loss", [Correlation(), Exponential(), Logistic()], ids=lambda loss: loss.kind)
def test_training_gives_the_same_bits_for_every_split_of_problems_and_starts(loss, joint, precision):
    whole = RandomSphere(trials=33, n=5, T=9, d=11, seed=2).build()
    starts = {"p": np.random.default_rng(0).standard_normal((4, 11))}
    if joint:
        whole = replace(whole, head=None)
        starts["v"] = np.random.default_rng(1).standard_normal((4, 11))

    def trained(problem, start):
        model = PromptAttention().bind(problem, loss, precision)
        return descend(model, dict.fromkeys("pv", NormalizedGD(step_size=0.5)), start, recorded=[0, 20])

    together = trained(whole, starts)
    for rows in splits(33):
        for name, values in trained(part(whole, rows), starts).items():
            np.testing.assert_array_equal(values, together[name] if name == "step" else together[name][:, rows])
    for few in splits(4, (1, 3)):
        for name, values in trained(whole, {key: points[few] for key, points in starts.items()}).items():
            np.testing.assert_array_equal(values, together[name] if name == "step" else together[name][:, :, few])


@pytest.mark.parametrize("precision", ["stable", "float32"])
@pytest.mark.parametrize("queries", [False, True], ids=["keys", "queries"])
def test_self_attention_gives_the_same_bits_for_every_split_of_problems(queries, precision):
    if queries:
        whole = RandomQueries(datasets=33, n=6, T=8, d=10).build()
    else:
        whole = RandomSphere(trials=33, n=5, T=9, d=40, seed=2).build()
    start = {"p": np.random.default_rng(0).standard_normal((3, whole.keys.shape[-1]))}

    def trained(problem):
        model = SelfAttention().bind(problem, Logistic(), precision)
        return descend(model, {"p": NormalizedGD(step_size=0.5)}, start, recorded=[0, 20])["p"]

    together = trained(whole)
    for rows in splits(33):
        np.testing.assert_array_equal(trained(part(whole, rows)), together[:, rows])


JOINT = [
    {"tokens": [[1, 1], [0, 0]], "label": 1},
    {"tokens": [[1, -1], [0, 0]], "label": -1},
]
SETTINGS = {
    "model": "prompt_attention",
    "loss": "logistic",
    "optimizer": {"kind": "normalized_gd", "step_size": 0.1},
    "start": {"p": [[0, -1]], "v": [[-1, 0]]},
    "steps": 20,
}


def trained(**changes):
    return GradientDescent(**SETTINGS | changes).train(LabelledTokens(inputs=JOINT).build())


@pytest.mark.parametrize(("head_step", "expected"), [(None, 0.1), (0.3, 0.3)])
def test_the_head_has_its_own_optimizer_where_it_is_given_one(head_step, expected):
    path = trained(head_optimizer=head_step and {"kind": "normalized_gd", "step_size": head_step})
    for name, length in {"p": 0.1, "v": expected}.items():
        np.testing.assert_allclose(np.linalg.norm(np.diff(path[name], axis=0), axis=-1), length, rtol=1e-12)


def test_both_parameters_step_from_the_same_iterate():
    model = prompt_model(LabelledTokens(inputs=JOINT).build())
    path = trained(optimizer=GD(step_size=2.0), steps=1)
    before = {name: path[name][0] for name in ("p", "v")}
    for name, gradient in model.gradient(before).items():
        np.testing.assert_array_equal(path[name][1], before[name] - 2.0 * gradient.value())


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_training_keeps_the_precision(precision):
    problem = LabelledTokens(inputs=JOINT).build()
    model = PromptAttention().bind(problem, Logistic(), precision)
    parameters = model.initial({"p": np.zeros((1, 2)), "v": np.ones((1, 2))})
    for name, gradient in model.gradient(parameters).items():
        assert gradient.direction.dtype == gradient.log_scale.dtype == precision
        assert NormalizedGD(step_size=0.1).update(gradient, {}, parameters[name], FIRST)[0].dtype == precision


@pytest.mark.parametrize(
    ("start", "message"),
    [
        ({"p": [[0, 0]]}, "head"),
        ({"p": [[0, 0]], "v": [[1, 0]], "q": [[0, 0]]}, "'q'"),
        ({"p": [[0, 0, 0]], "v": [[1, 0]]}, "3 coordinates"),
    ],
)
def test_a_start_that_does_not_fit_the_model_is_refused(start, message):
    model = prompt_model(LabelledTokens(inputs=JOINT).build())
    with pytest.raises(ValueError, match=message):
        model.initial({name: np.array(points) for name, points in start.items()})


def test_a_query_that_does_not_fit_is_refused(problem):
    with pytest.raises(ValueError, match="query: 3 coordinates"):
        WeightAttention(query=[1.0, 2.0, 3.0]).bind(problem, Logistic())


SHAPE = TokenShape(inputs=2, tokens=2, dimension=2, fixed_head=False, starts={"p": 2})


@pytest.mark.parametrize(
    ("changes", "shape", "key", "message"),
    [
        ({}, Shape(), "problem", "the problem is made of , this kind of run is for tokens"),
        ({}, replace(SHAPE, fixed_head=True), "start", "the problem has a fixed head: v cannot be started"),
        ({"start": {"p": [[0]]}}, SHAPE, "start", "the problem has a head to be trained: v needs a start"),
        ({"start": {"v": [[0]]}}, SHAPE, "start", "needs the key p"),
        ({"start": {"p": {"of_problem": [2]}, "v": [[0]]}}, SHAPE, "start.p.of_problem",
         "the problem provides 2 starts for p, counted from 0"),
        ({"start": {"p": [[0]], "v": [[0], [1]]}}, SHAPE, "start",
         "as many starts for every parameter, got {'p': 1, 'v': 2}"),
        ({"start": {"p": [[0]], "v": [[0, 0, 0]]}}, SHAPE, "start.v", "points have 3 coordinates, the problem has 2"),
        ({"optimizer": {"kind": "gd", "step_size": [1, 2]}}, SHAPE, "optimizer.step_size",
         "a list has a number for every start, 1 of them"),
        ({"head_optimizer": {"kind": "polyak", "c": [1, 2]}}, SHAPE, "head_optimizer.c",
         "a list has a number for every start, 1 of them"),
    ],
)  # fmt: skip
def test_check_names_what_does_not_fit_the_problem(changes, shape, key, message):
    with pytest.raises(IncompatibleRunError) as raised:
        GradientDescent(**SETTINGS | changes).check(shape)
    assert (raised.value.key, str(raised.value)) == (key, message)


def test_check_accepts_what_fits():
    training = GradientDescent(**SETTINGS | {"start": {"p": {"of_problem": [0, 1]}, "v": [[0], [1]]}})
    training.check(SHAPE)
    assert training.columns(SHAPE) == 2
    assert training.parameters == ("p", "v")
    keys = replace(SHAPE, key_dimension=5, fixed_head=True)
    GradientDescent(**SETTINGS | {"start": {"p": [[0, 0, 0, 0, 1.0]]}}).check(keys)


def test_span_descent_needs_a_fixed_head():
    training = SpanDescent(steps=3, step_size=1.0)
    training.check(replace(SHAPE, fixed_head=True))
    with pytest.raises(IncompatibleRunError, match="head to be trained"):
        training.check(SHAPE)


def test_span_descent_is_normalized_gradient_descent():
    problem = RandomSphere(trials=3, n=4, T=5, d=4, seed=1).build()
    span = SpanDescent(steps=7, step_size=0.5).train(problem)
    start = {"p": [[0.0]]}
    general = GradientDescent(**SETTINGS | {"start": start, "steps": 7, "optimizer": NormalizedGD(step_size=0.5)})
    assert span["step"].tolist() == [0, 7]
    np.testing.assert_allclose(span["p"], general.train(problem)["p"][[0, 7]], rtol=1e-9)


@pytest.mark.parametrize(
    ("start", "count"),
    [
        ([[0, 0], [1.5, 2]], 2),
        ({"x": [0, 1], "y": [0, 2], "spacing": 0.5}, 15),
        ({"radius": 2, "every": 90}, 4),
        ({"of_problem": [1, 0, 1]}, 3),
    ],
)
def test_a_training_is_read_back_from_its_json(start, count):
    training = GradientDescent(**SETTINGS | {"start": {"p": start}})
    settings = training.model_dump(mode="json")
    assert GradientDescent.of(settings) == training
    assert training.start["p"].count == count


@pytest.mark.parametrize(
    ("x", "y", "spacing", "shape"),
    [([-2, 12], [-5, 5], 0.2, (51, 71)), ([0, 0.3], [0, 0.1], 0.1, (2, 4)), ([1, 1], [2, 2.5], 0.5, (2, 1))],
)
def test_a_grid_of_starts_includes_both_ends(x, y, spacing, shape):
    starts = starts_of({"x": x, "y": y, "spacing": spacing})
    assert starts.count == np.prod(shape)
    grid = starts.points().reshape(*shape, 2)
    np.testing.assert_allclose(grid[0, 0], [x[0], y[0]], atol=1e-12)
    np.testing.assert_allclose(grid[-1, -1], [x[1], y[1]], atol=1e-12)
    np.testing.assert_allclose(np.diff(grid[..., 0], axis=1), spacing, atol=1e-12)
    np.testing.assert_allclose(np.diff(grid[..., 1], axis=0), spacing, atol=1e-12)


def test_a_grid_whose_spacing_does_not_divide_the_interval_stays_inside():
    assert starts_of({"x": [0, 1], "y": [0, 0], "spacing": 0.4}).points()[:, 0].tolist() == [0, 0.4, 0.8]


def test_listed_starts_are_taken_as_they_are():
    np.testing.assert_array_equal(starts_of([[1, 2], [3, 4]]).points(), [[1.0, 2.0], [3.0, 4.0]])


def test_provided_starts_are_those_of_the_problem():
    provided = np.arange(12.0).reshape(2, 3, 2)
    np.testing.assert_array_equal(starts_of({"of_problem": [2, 0]}).points(provided), provided[:, [2, 0]])
    with pytest.raises(ValueError, match="provides no starts"):
        starts_of({"of_problem": [0]}).points()


@pytest.mark.parametrize(
    ("start", "location", "message"),
    [
        ([[1, 2], [3]], (), "all points need the same number of coordinates"),
        ({"x": [0, 1], "y": [0, 1]}, ("spacing",), "Field required"),
        ({"x": [1, 0], "y": [0, 1], "spacing": 1}, (), "x and y are [low, high]"),
        ({"x": [0, 1], "y": [0, 1], "spacing": 1e-7}, (), "more than 1000000 points, spacing is too small"),
        ({"radius": 1}, ("every",), "Field required"),
        ({"of_problem": [-1]}, ("of_problem", 0), "greater than or equal to 0"),
    ],
)
def test_starts_that_are_wrong_are_refused_by_the_form_that_was_meant(start, location, message):
    with pytest.raises(ValidationError) as raised:
        GradientDescent(**SETTINGS | {"start": {"p": start}})
    error = raised.value.errors()[0]
    assert error["loc"] == ("start", "p", *location)
    assert message in error["msg"]


def test_a_loss_without_infimum_says_so():
    for loss, has in ((Logistic(), True), (Exponential(), True), (Correlation(), False)):
        assert loss.has("log_excess")
        assert loss.has("log_loss") == has
    with pytest.raises(ValueError, match="correlation loss defines no log_loss"):
        Correlation().log_loss(np.zeros(1))


@pytest.mark.parametrize("loss", [Logistic(), Exponential(), Correlation()], ids=lambda loss: loss.kind)
def test_losses_keep_the_precision_and_log_slope_is_their_derivative(loss):
    margin = torch.tensor([-3.0, 0.0, 2.0, 30.0], dtype=torch.float64, requires_grad=True)
    formulas = {"logistic": torch.nn.functional.softplus(-margin), "exponential": torch.exp(-margin)}
    value = formulas.get(loss.kind, -margin)
    (slope,) = torch.autograd.grad(value.sum(), margin)
    margins = margin.detach().numpy()
    np.testing.assert_allclose(loss.value(margins), value.detach(), rtol=1e-12)
    np.testing.assert_allclose(np.exp(loss.log_slope(margins)), -slope, rtol=1e-12)
    for result in (loss.value(margins.astype(np.float32)), loss.log_slope(margins.astype(np.float32))):
        assert result.dtype == np.float32

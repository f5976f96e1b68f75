"""Full-batch training: steps, records, batches, failures, starts, and Lemma 1."""

import re
from dataclasses import replace
from functools import partial
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from attention_dynamics.attention.descent import _mark_diverged, descend
from attention_dynamics.attention.gradient_descent import GradientDescent
from attention_dynamics.attention.gram_training import train_in_span
from attention_dynamics.attention.initialization import parse_starts
from attention_dynamics.attention.losses.correlation import Correlation
from attention_dynamics.attention.losses.exponential import Exponential
from attention_dynamics.attention.losses.logistic import Logistic
from attention_dynamics.attention.models.prompt_attention import PromptAttention
from attention_dynamics.attention.models.self_attention import SelfAttention
from attention_dynamics.attention.models.weight_attention import WeightAttention
from attention_dynamics.attention.span_descent import SpanDescent
from attention_dynamics.claims.claim import CHOSEN, claim
from attention_dynamics.claims.expectation import at_least, at_most, check
from attention_dynamics.claims.judge import judge
from attention_dynamics.compute import compute_run
from attention_dynamics.measures.norm import Norm
from attention_dynamics.measures.probability import Probability
from attention_dynamics.optim.gd import GD
from attention_dynamics.optim.gradient import StepContext
from attention_dynamics.optim.normalized_gd import NormalizedGD
from attention_dynamics.optim.optimizer import Optimizer
from attention_dynamics.problems.labelled_tokens import LabelledTokens
from attention_dynamics.problems.planar_embedding import embed
from attention_dynamics.problems.problem import Problem, with_fixed_head
from attention_dynamics.problems.random_queries import RandomQueries
from attention_dynamics.problems.random_sphere import RandomSphere
from attention_dynamics.problems.shape import Shape, TokenShape
from attention_dynamics.progress import one_line
from attention_dynamics.run import Runs
from attention_dynamics.sequences.classes import published_classes
from attention_dynamics.sequences.sampling import draw
from attention_dynamics.sequences.sequence_training import train_pairs
from attention_dynamics.series.statistics import share_above
from attention_dynamics.theory.span_dynamics import class_vectors, train_decoder
from attention_dynamics.training import IncompatibleRunError, NumericalFailure, recorded_steps
from helpers.refusals import assert_refused

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
    return descend(model, optimizers, {"p": starts}, record_steps=recorded_steps(steps, record_every))


@pytest.mark.parametrize("transposed", [False, True])
def test_training_weights_equals_training_prompt(problem, transposed):
    """Lemma 1 of Max-margin, for both ways to write the logits."""
    query = np.array(QUERY)
    prompts = run(prompt_model(problem), GD(step_size=0.5), steps=500)["p"]
    weights = run(weight_model(problem, transposed), GD(step_size=0.5 / (query @ query)), steps=500)["W"]
    image = prompts[..., :, None] * query / (query @ query)
    right, wrong = (image.mT, image) if transposed else (image, image.mT)
    assert np.abs(weights - right).max() <= 1e-10
    # The two conventions differ from the first iterate on, not by rounding.
    assert np.abs(weights - wrong).max((1, 2, 3, 4)).min() > 0.1
    singular = np.linalg.svd(weights, compute_uv=False)
    assert (singular[..., 1] / singular[..., 0]).max() <= 1e-10
    # u spans the left singular space, as the proof of Lemma 1 says, with the paper's logits X W' u alone.
    cosines = np.linalg.norm(query @ weights, axis=-1) / (np.linalg.norm(query) * singular[..., 0])
    assert cosines.min() > 1 - 1e-10 if transposed else cosines.min() < 0.99


def test_an_overflow_is_named_and_ends_one_trajectory(capsys):
    positions = np.array([[1.0, 0.0], [0.0, 1.0]])[None, None].repeat(2, axis=0)
    scores = np.array([[[1.0, 1.0]], [[1e3, 0.0]]])
    model = prompt_model(embed(positions, scores, np.ones((2, 1))), Correlation())
    # Problem 0 has equal scores and start 0 a softmax that is exactly saturated: neither has a gradient.
    starts = np.array([[1e4, 0.0], [0.0, 0.0]])
    path = run(model, GD.model_construct(step_size=1e308), starts=starts)["p"]
    assert "p is not finite at step 1 (optimizer gd, problem 1, start 1): diverged" in capsys.readouterr().out
    # It is NaN from there on, and the others are what they are without it.
    assert np.isnan(path[1:, 1, 1]).all()
    np.testing.assert_array_equal(path[:, 0, :, :2], np.broadcast_to(starts, (51, 2, 2)))
    np.testing.assert_array_equal(path[0, ..., :2], np.broadcast_to(starts, (2, 2, 2)))


def test_a_batch_fails_where_all_of_it_diverges_unless_that_is_allowed(problem):
    model, optimizer = prompt_model(problem, Correlation()), {"p": Diverging()}
    with pytest.raises(NumericalFailure, match=r"^p is not finite at step 3 .*: diverged$") as raised:
        descend(model, optimizer, {"p": STARTS}, record_steps=[0, 1, 3, 5])
    assert raised.value.partial_trajectory["step"].tolist() == [0, 1]
    path = descend(model, optimizer, {"p": STARTS}, record_steps=[0, 1, 3, 5], allow_divergence=True)["p"]
    assert np.isfinite(path[:2]).all()
    assert np.isnan(path[2:]).all()


def test_every_parameter_that_is_not_finite_marks_its_trajectories():
    diverged = np.zeros((2, 2), dtype=bool)
    W, v = np.zeros((2, 2, 3, 3)), np.zeros((2, 2, 3))
    W[0, 0, 1, 2], v[1, 0, 2] = np.inf, np.nan
    assert (
        _mark_diverged(diverged, {"W": W, "v": v}, 7, {}) == "W is not finite at step 7 (problem 0, start 0): diverged"
    )
    np.testing.assert_array_equal(diverged, [[True, False], [True, False]])


RESULTS = {
    "scalar": (lambda p: (3.0, {}), r"ValueError.* an array \(\) for a parameter"),
    "shape": (lambda p: (p[..., :1], {}), r"ValueError.* an array \(3, 2, 1\) for a parameter"),
    "complex": (lambda p: (p * 1j, {}), "TypeError.* an array of float64 as parameter; it returned complex128"),
    "half precision": (lambda p: (p.astype("f2"), {}), "TypeError.* of float64 as parameter; it returned float16"),
    "single precision": (lambda p: (p.astype("f4"), {}), "TypeError.* it returned float32"),
    "masked": (lambda p: (np.ma.array(p, mask=True), {}), "TypeError.* it returned a masked array"),
    "integers": (lambda p: (p.astype(int), {}), "TypeError.* it returned int64"),
    "list": (lambda p: (p.tolist(), {}), "TypeError.* it returned list"),
    "nothing": (lambda p: None, "TypeError.* must return two things, .* it returned NoneType"),
    "three things": (lambda p: (p, {}, 0), "TypeError.* it returned a tuple of 3"),
    "broadcast": (lambda p: (p + np.ones(3), {}), "ValueError.* could not be broadcast"),
    "NaN": (lambda p: (p * np.nan, {}), r"NumericalFailure.*p is not finite at step 1 \(optimizer careless, problem 0"),
}


def test_wrong_result_of_an_optimizer_is_named_with_it(problem):
    class Careless(Optimizer, kind="careless"):
        result: str

        def update(self, gradient, state, parameter, context):
            return RESULTS[self.result][0](parameter)

    for name, (_, message) in RESULTS.items():
        with pytest.raises(Exception, match=r".") as raised:
            run(prompt_model(problem), Careless(result=name))
        line = f"{type(raised.value).__name__}: {one_line(raised.value)}"
        assert re.search(message, line)
        assert name == "NaN" or line.endswith("; in optimizer careless at step 0")


class Diverging(Optimizer, kind="diverging"):
    """Moves nothing, and to infinity after two steps."""

    def update(self, gradient, state, parameter, context):
        return parameter + (np.inf if context.iteration >= 2 else 0.0), state


def select_problems(problem, rows):
    """Some problems of a batch."""
    names = ("tokens", "labels", "optimal", "head", "queries", "own_keys")
    arrays = {name: getattr(problem, name) for name in names}
    some = {name: array[rows] for name, array in arrays.items() if array is not None}
    return replace(problem, **some, starts={name: points[rows] for name, points in problem.starts.items()})


def splits(count, sizes=(1, 3, 7, 32)):
    """First, middle and last of the batches of each size; the last may be a remainder."""
    batches = {size: [range(first, min(first + size, count)) for first in range(0, count, size)] for size in sizes}
    return [one[place] for one in batches.values() for place in sorted({0, len(one) // 2, len(one) - 1})]


def trainings_to_split():
    """Name of a training, its problem, model and loss."""
    whole = RandomSphere(trials=33, n=5, T=9, d=11, seed=2).build()
    for loss in (Correlation(), Exponential(), Logistic()):
        yield f"{loss.kind} fixed head", (whole, PromptAttention(), loss)
        yield f"{loss.kind} joint", (replace(whole, head=None), PromptAttention(), loss)
    keys, queries = RandomSphere(trials=33, n=5, T=9, d=40, seed=2), RandomQueries(datasets=33, n=6, T=8, d=10)
    yield "self-attention, keys", (keys.build(), SelfAttention(), Logistic())
    yield "self-attention, queries", (queries.build(), SelfAttention(), Logistic())


SPLIT = dict(trainings_to_split())


@pytest.mark.slow
@pytest.mark.parametrize("precision", ["stable", "float64", "float32"])
@pytest.mark.parametrize("name", SPLIT)
def test_training_gives_same_bits_for_every_split(name, precision):
    whole, model, loss = SPLIT[name]
    starts = {model.attends: np.random.default_rng(0).standard_normal((4, whole.keys.shape[-1]))}
    if whole.head is None:
        starts["v"] = np.random.default_rng(1).standard_normal((4, 11))

    def trained(problem, start):
        optimizers = dict.fromkeys("pWv", NormalizedGD(step_size=0.5))
        return descend(model.bind(problem, loss, precision), optimizers, start, record_steps=[0, 10])

    together = trained(whole, starts)
    for rows in splits(33):
        for name, values in trained(select_problems(whole, rows), starts).items():
            np.testing.assert_array_equal(values, together[name] if name == "step" else together[name][:, rows])
    # Products of matrices have other bits for another number of starts.
    for few in splits(4, (1, 3)) if model.kind == "prompt_attention" else ():
        for name, values in trained(whole, {key: points[few] for key, points in starts.items()}).items():
            np.testing.assert_array_equal(values, together[name] if name == "step" else together[name][:, :, few])


JOINT = LabelledTokens(inputs=[{"tokens": [[1, 1], [0, 0]], "label": 1}, {"tokens": [[1, -1], [0, 0]], "label": -1}])
SETTINGS = {
    "model": "prompt_attention", "loss": "logistic", "optimizer": {"kind": "normalized_gd", "step_size": 0.1},
    "start": {"p": [[0, -1]], "v": [[-1, 0]]}, "steps": 20,
}  # fmt: skip


def trained(**changes):
    return GradientDescent(**SETTINGS | changes).train(JOINT.build())


def test_head_uses_own_optimizer():
    for head_step, expected in ((None, 0.1), (0.3, 0.3)):
        path = trained(head_optimizer=head_step and {"kind": "normalized_gd", "step_size": head_step})
        for name, length in {"p": 0.1, "v": expected}.items():
            np.testing.assert_allclose(np.linalg.norm(np.diff(path[name], axis=0), axis=-1), length, rtol=1e-12)


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_training_keeps_precision(precision):
    model = PromptAttention().bind(JOINT.build(), Logistic(), precision)
    parameters = model.initial({"p": np.zeros((1, 2)), "v": np.ones((1, 2))})
    for name, gradient in model.gradient(parameters).items():
        assert gradient.direction.dtype == gradient.log_scale.dtype == precision
        assert NormalizedGD(step_size=0.1).update(gradient, {}, parameters[name], FIRST)[0].dtype == precision


@pytest.mark.parametrize(("precision", "scale"), [("stable", 1e-200), ("stable", 1e25), ("float32", 1e-25)])
def test_start_of_weights_gives_prompt_for_query_of_any_size(problem, precision, scale):
    model = WeightAttention(query=[scale * number for number in QUERY]).bind(problem, Logistic(), precision)
    prompt = model.prompt(model.initial({"p": STARTS}))
    np.testing.assert_allclose(prompt[0], STARTS, rtol=1e-5, atol=1e-6)


SHAPE = TokenShape(inputs=2, tokens=2, dimension=2, fixed_head=False, starts={"p": 2})


MISFITS = [
    ({}, Shape(), "problem", "the problem has , but this kind of run needs tokens"),
    ({}, replace(SHAPE, fixed_head=True), "start", "the problem has a fixed head: remove v"),
    ({"start": {"p": [[0]]}}, SHAPE, "start", "the problem has a trainable head: add points for v"),
    ({"start": {"v": [[0]]}}, SHAPE, "start", "the key p is missing"),
    ({"start": {"p": {"of_problem": [2]}, "v": [[0]]}}, SHAPE, "start.p.of_problem",
     "the problem provides 2 starts for p, got index 2"),
    ({"start": {"p": [[0]], "v": [[0], [1]]}}, SHAPE, "start",
     "needs the same number of starts for every parameter, got {'p': 1, 'v': 2}"),
    ({"start": {"p": [[0]], "v": [[0, 0, 0]]}}, SHAPE, "start.v", "points have 3 coordinates, but the problem has 2"),
    *(({setting: {"kind": kind, number: [1, 2]}}, SHAPE, f"{setting}.{number}",
       "a list needs one number per start, 1 in all")
      for setting, kind, number in (("optimizer", "gd", "step_size"), ("head_optimizer", "polyak", "c"))),
]  # fmt: skip


def test_check_names_mismatch_with_problem():
    for changes, shape, key, message in MISFITS:
        with pytest.raises(IncompatibleRunError) as raised:
            GradientDescent(**SETTINGS | changes).check(shape)
        assert (raised.value.key, str(raised.value)) == (key, message)


def test_check_accepts_matching_problem():
    training = GradientDescent(**SETTINGS | {"start": {"p": {"of_problem": [0, 1]}, "v": [[0], [1]]}})
    training.check(SHAPE)
    assert training.columns(SHAPE) == 2
    assert training.parameters == ("p", "v")
    keys = replace(SHAPE, key_dimension=5, fixed_head=True)
    GradientDescent(**SETTINGS | {"start": {"p": [[0, 0, 0, 0, 1.0]]}}).check(keys)
    SpanDescent(steps=3, step_size=1.0).check(keys)


@pytest.mark.slow
def test_span_descent_equals_normalized_gradient_descent():
    problem = RandomSphere(trials=3, n=4, T=5, d=4, seed=1).build()
    span = SpanDescent(steps=7, step_size=0.5).train(problem)
    start = {"p": [[0.0]]}
    general = GradientDescent(**SETTINGS | {"start": start, "steps": 7, "optimizer": NormalizedGD(step_size=0.5)})
    assert span["step"].tolist() == [0, 7]
    np.testing.assert_allclose(span["p"], general.train(problem)["p"][[0, 7]], rtol=1e-9)


def test_grids_of_starts_include_both_ends_and_listed_starts_are_used_unchanged():
    for x, y, spacing, shape in (
        ([-2, 12], [-5, 5], 0.2, (51, 71)), ([0, 0.3], [0, 0.1], 0.1, (2, 4)), ([1, 1], [2, 2.5], 0.5, (2, 1)),
    ):  # fmt: skip
        starts = parse_starts({"x": x, "y": y, "spacing": spacing})
        assert starts.count == np.prod(shape)
        grid = starts.points().reshape(*shape, 2)
        np.testing.assert_allclose([grid[0, 0], grid[-1, -1]], np.transpose([x, y]), atol=1e-12)
        for axis in (0, 1):
            np.testing.assert_allclose(np.diff(grid[..., axis], axis=1 - axis), spacing, atol=1e-12)
    # Another spacing stays inside.
    assert parse_starts({"x": [0, 1], "y": [0, 0], "spacing": 0.4}).points()[:, 0].tolist() == [0, 0.4, 0.8]
    np.testing.assert_array_equal(parse_starts([[1, 2], [3, 4]]).points(), [[1.0, 2.0], [3.0, 4.0]])
    provided = np.arange(12.0).reshape(2, 3, 2)
    np.testing.assert_array_equal(parse_starts({"of_problem": [2, 0]}).points(provided), provided[:, [2, 0]])


WRONG_STARTS = [
    ([[1, 2], [3]], (), "all points must have the same number of coordinates"),
    ({"x": [0, 1], "y": [0, 1]}, ("spacing",), "Field required"),
    ({"x": [1, 0], "y": [0, 1], "spacing": 1}, (), "x and y must be [low, high] with low <= high"),
    ({"x": [0, 1], "y": [0, 1], "spacing": 1e-7}, (), "the grid has more than 1000000 points: increase spacing"),
    ({"radius": 1}, ("every",), "Field required"),
    ({"of_problem": [-1]}, ("of_problem", 0), "greater than or equal to 0"),
]


def test_wrong_starts_are_refused_by_intended_form():
    for start, location, message in WRONG_STARTS:
        with pytest.raises(ValidationError) as raised:
            GradientDescent(**SETTINGS | {"start": {"p": start}})
        error = raised.value.errors()[0]
        assert error["loc"] == ("start", "p", *location)
        assert message in error["msg"]


TOKENS, LABELS, HEAD = np.ones((2, 3, 4, 5)), np.ones((2, 3)), np.ones((2, 5))
SPHERE = RandomSphere(trials=3, n=4, T=5, d=4, seed=1).build()


def train(problem=SPHERE, loss=Logistic(), precision="stable", optimizers=None, start=None, recorded=(0, 1)):  # noqa: B008
    model = PromptAttention().bind(problem, loss, precision)
    return descend(model, optimizers or {"p": GD(step_size=1.0)}, start or {"p": STARTS}, record_steps=recorded)


def fixed_head(tokens=TOKENS, labels=LABELS, key_weights=None, head=HEAD, **options):
    return with_fixed_head(tokens, labels, np.eye(5) if key_weights is None else key_weights, head, **options)


JOINT_MODEL = prompt_model(JOINT.build())
ONE, HEADLESS = np.zeros((1, 2)), replace(SPHERE, head=None)
REFUSALS = [
    (partial(fixed_head, tokens=TOKENS[0]), r"tokens: need an array \(P, n, T, d\), got"),
    (partial(fixed_head, labels=LABELS.T), r"labels: need an array \(P = 2, n = 3\), got"),
    (partial(fixed_head, labels=0.5 * LABELS), r"labels: need \+1 and -1"),
    (partial(fixed_head, key_weights=np.eye(4)), r"key_weights: need an array \(d = 5, d = 5\)"),
    (partial(fixed_head, head=HEAD[0]), r"head: need an array \(P = 2, d = 5\)"),
    (partial(fixed_head, tokens=np.nan * TOKENS), "tokens: not all numbers are finite"),
    (partial(fixed_head, tokens=TOKENS[:, :0]), r"tokens: need an array .* got shape"),
    (partial(fixed_head, tokens=[[1], [2, 3]]), "rows of different lengths"),
    (partial(fixed_head, tokens=TOKENS.astype(str)), "tokens: need numbers"),
    (partial(fixed_head, own_keys=TOKENS[0]), "own_keys: need an array"),
    (partial(fixed_head, queries=HEAD), "queries: need an array"),
    (partial(fixed_head, starts={"p": HEAD}), "starts p: need an array"),
    (partial(Problem, TOKENS, LABELS, np.eye(5), np.full((2, 3), 4)), r"optimal: need token indices in \[0, 4\)"),
    *((partial(train, recorded=recorded), "recorded steps must increase")
      for recorded in ([0, 10, 10, 20], [5, 3], np.array([5, 3], np.uint8), [], [-1, 2], [0.5, 2])),
    (partial(train, start={"p": np.zeros(4)}), r"start: need an array \(starts, m\), got shape \(4,\)"),
    (partial(train, start={"p": np.zeros((2, 1, 4))}), r"start: need an array \(P = 3, starts, m\)"),
    (partial(train, start={"p": np.zeros((0, 4))}), "start: need an array"),
    (partial(train, start={"p": np.full((1, 4), np.inf)}), "start: not all numbers are finite"),
    (partial(train, optimizers={"v": GD(step_size=1.0)}), "optimizers: p needs one"),
    (partial(train, loss="logistics"), "logistics"),
    (partial(train, loss=Logistic), "mapping"),
    (partial(train, precision="float16"), "precision: need one of stable, float64, float32"),
    (partial(train, HEADLESS, start={"p": STARTS, "v": STARTS[:1]}), "start: p and v need the same"),
    (partial(JOINT_MODEL.initial, {"p": ONE}), "head"),
    (partial(JOINT_MODEL.initial, {"p": ONE, "v": ONE, "q": ONE}), "'q'"),
    (partial(JOINT_MODEL.initial, {"p": np.zeros((1, 3)), "v": ONE}), "3 coordinates"),
    (partial(WeightAttention(query=[1.0, 2.0, 3.0]).bind, SPHERE, Logistic()), "query: has 3 coordinates"),
    (parse_starts({"of_problem": [0]}).points, "this one provides none"),
    (partial(SpanDescent(steps=3, step_size=1.0).check, SHAPE), "trainable head"),
]  # fmt: skip


def test_arguments_that_do_not_fit_are_refused():
    assert_refused(REFUSALS)


P_OF_L = np.array([[0.5, 0.5, 0.0], [0.5, 0.0, 0.5]])
CLASSES = published_classes(num_last=2, num_next_per_last=1)
# Everything public that allocates results before it computes them.
ALLOCATING = {
    "descend": lambda at: descend(
        prompt_model(RandomSphere(trials=2, n=2, T=3, d=4, seed=1).build()),
        {"p": GD(step_size=1.0)}, {"p": STARTS}, record_steps=at,
    ),
    "train_in_span": lambda at: train_in_span(
        np.stack([np.eye(6)] * 3), np.arange(18.0).reshape(3, 2, 3), steps=max(at, default=0), step_size=0.1
    )._asdict(),
    "train_pairs": lambda at: train_pairs(
        CLASSES, draw(CLASSES, seed=1, steps=8, mode="fast"), eta_Y=[0.1, 0.2], eta_Z=0.1, record_steps=at
    ),
    "train_decoder": lambda at: {
        "Y": train_decoder(class_vectors(P_OF_L), [0, 1] * 4, eta_Y=0.1, record_steps=at)
    },
    "draw": lambda at: draw(CLASSES, seed=1, steps=max(at, default=0), mode="exact")._asdict(),
    "random_sphere": lambda at: RandomSphere(trials=3, n=2, T=3, d=4, seed=len(at)).build().to_arrays(),
}  # fmt: skip


def filling(create, value):
    """Return a function of NumPy that allocates memory, and fills what it returns."""

    def filled(*given, **options):
        array = create(*given, **options)
        array.fill(value)
        return array

    return filled


@pytest.mark.parametrize("name", ALLOCATING)
@settings(max_examples=25, deadline=None, derandomize=True)
@given(record_steps=st.lists(st.integers(-1, 9), max_size=4))
def test_no_public_function_returns_memory_that_it_did_not_write(name, record_steps):
    """Two values that fresh memory may have must give the same result, or the same refusal."""
    found = []
    ALLOCATING[name]([0, 1])  # Compiled now: Numba does not know the functions that take NumPy's place below.
    for value in (77, 13):  # Some arrays are unsigned.
        functions = {create.__name__: filling(create, value) for create in (np.empty, np.empty_like)}
        with mock.patch.multiple(np, **functions):
            try:
                found.append(ALLOCATING[name](record_steps))
            except ValueError as error:
                found.append({"refusal": str(error)})
    np.testing.assert_equal(*found)


def test_claims_count_what_diverged(problem):
    """Three problems, of which the last one's first start diverges."""
    starts = np.zeros((3, 2, 4))
    starts[2, 0] = 1.0

    class FarDiverging(Optimizer, kind="far_diverging"):
        """Moves to infinity what is not at the origin."""

        def update(self, gradient, state, parameter, context):
            return parameter / np.where(parameter == 0, 1.0, 0.0), state

    given = {"optimizer": FarDiverging(), "start": {"p": {"of_problem": [0, 1]}}, "steps": 2}
    training = GradientDescent(**SETTINGS | given)
    with np.errstate(divide="ignore"):
        run = compute_run(replace(problem, starts={"p": starts}), training, measures=[Norm(), Probability()])
    assert np.argwhere(run.diverged[-1]).tolist() == [[2, 0]]
    for values in run.series.values():
        missing = np.isnan(values[-1])
        assert np.argwhere(missing.any(-1) if values.ndim > 3 else missing).tolist() == [[2, 0]]

    @claim("fig", says="Nothing moves", basis=CHOSEN, source="chosen")
    def still(only):
        return check(share_above(only["norm_p"].at(2), -1.0), at_least(1.0))

    @claim("fig", says="The first does not move", basis=CHOSEN, source="chosen")
    def first(only):
        return check(only["norm_p"].at(2)[0], at_most(0.0))

    @claim("fig", says="A mistake in the claim", basis=CHOSEN, source="chosen")
    def mistaken(only):
        return check(only["norm_p"].at(2)[6], at_most(0.0))

    runs = Runs({"only": run})
    rows = [judge(one[0], runs, "laptop") for one in (still, first)]
    assert [row["verdict"] for row in rows] == ["fails", "holds"]
    diverged = "1 of 6 trajectories of only diverged"
    assert [row["measured"] for row in rows] == [diverged, f"0; {diverged}"]
    # The divergence does not explain this error.
    with pytest.raises(ValueError, match="mistaken: index 6 is out of bounds"):
        judge(mistaken[0], runs, "laptop")

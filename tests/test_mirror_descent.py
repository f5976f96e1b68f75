"""Mirror descent: its update, its data, its divergence, and the published path."""

import math
from functools import partial

import numpy as np
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from attention_dynamics.attention.descent import descend, reproducible
from attention_dynamics.attention.losses import logistic
from attention_dynamics.attention.models import prompt_attention, self_attention
from attention_dynamics.measures import bregman, entries, nearest_norm, optimal_tokens, rates, selected_logistic
from attention_dynamics.optim import gd, mirror_descent, normalized_gd
from attention_dynamics.optim.gradient import Moment, ScaledGradient
from attention_dynamics.problems import labelled_sequences, queries_near_svm, random_queries
from attention_dynamics.run import Run

FIRST = Moment(0, {}, lambda: torch.zeros(1, 1))
GUARD = 2.0**-52
SIZE = {"n": 6, "T": 8, "d": 10}
INPUTS = [
    {"tokens": [[-2.7, 1.2], [1.4, 2.1], [1.3, -0.1]], "label": 1},
    {"tokens": [[0.4, -2.2], [-1.1, -0.4], [0.9, 0.1]], "label": -1},
]
some = settings(deadline=None, max_examples=60, derandomize=True)


@pytest.fixture(autouse=True, scope="module")
def _one_thread():
    reproducible()


def random_pair(seed, size=1.0, log_scale=0.0):
    rng = np.random.default_rng(seed)
    parameter, direction = (
        torch.tensor(size * rng.standard_normal((2, 3, 4))),
        torch.tensor(rng.standard_normal((2, 3, 4))),
    )
    return parameter, ScaledGradient(direction, torch.full((2, 3), log_scale, dtype=torch.float64))


@some
@given(seed=st.integers(0, 10**6), exponent=st.floats(1.05, 10), size=st.floats(0.1, 3))
def test_the_mirror_image_moves_by_a_step_of_unit_dual_norm(seed, exponent, size):
    before, gradient = random_pair(seed, size)
    after = mirror_descent.step(before, gradient, FIRST, exponent=exponent, step_size=0.1)
    image = lambda w: w.sign() * w.abs() ** (exponent - 1)  # noqa: E731
    moved, q = image(before) - image(after), exponent / (exponent - 1)
    scale = image(before).abs().max().item()
    np.testing.assert_allclose((moved.abs() ** q).sum(-1) ** (1 / q), 0.1, rtol=1e-6, atol=1e-9 * scale)
    unit = moved / moved.norm(dim=-1, keepdim=True)
    np.testing.assert_allclose(
        unit, gradient.direction / gradient.direction.norm(dim=-1, keepdim=True), atol=1e-6 * (1 + scale)
    )


def test_for_two_it_is_gradient_descent():
    parameter, gradient = random_pair(1, log_scale=-3.0)
    plain = gd.step(parameter, gradient, FIRST, step_size=0.7)
    unit = normalized_gd.step(parameter, gradient, FIRST, step_size=0.7)
    mirror = partial(mirror_descent.step, parameter, gradient, FIRST, exponent=2.0, step_size=0.7)
    np.testing.assert_allclose(mirror(normalized=False), plain, atol=1e-14)
    np.testing.assert_allclose(mirror(), unit, atol=1e-14)


def test_without_guard_the_scale_of_the_gradient_does_not_matter_and_with_it_it_freezes():
    parameter, large = random_pair(2)
    _, small = random_pair(2, log_scale=-5000.0)
    step = partial(mirror_descent.step, exponent=1.75, step_size=0.1)
    assert torch.equal(step(parameter, small, FIRST), step(parameter, large, FIRST))
    np.testing.assert_allclose(step(parameter, small, FIRST, epsilon=GUARD), parameter, rtol=1e-12)


@pytest.mark.parametrize("exponent", [1.1, 2.0, 3.0, 10.0])
def test_a_zero_gradient_moves_nothing(exponent):
    parameter, gradient = random_pair(3)
    still = ScaledGradient(torch.zeros_like(gradient.direction), gradient.log_scale)
    after = mirror_descent.step(parameter, still, FIRST, exponent=exponent, step_size=0.1)
    np.testing.assert_allclose(after, parameter, rtol=1e-9)


def test_a_list_of_exponents_trains_every_start_with_its_own():
    parameter, gradient = random_pair(4)
    together = mirror_descent.step(parameter, gradient, FIRST, exponent=[1.5, 2.0, 3.0], step_size=0.1)
    for k, exponent in enumerate([1.5, 2.0, 3.0]):
        part = ScaledGradient(gradient.direction[:, [k]], gradient.log_scale[:, [k]])
        alone = mirror_descent.step(parameter[:, [k]], part, FIRST, exponent=exponent, step_size=0.1)
        np.testing.assert_allclose(together[:, [k]], alone, rtol=1e-12)


@some
@given(value=st.floats(1e-300, 1e300), exponent=st.floats(0.05, 10))
def test_powers_for_each_start_are_exact_but_for_their_roundings(value, exponent):
    logarithm = exponent * math.log(value)
    assume(abs(logarithm) < 700)
    value, exponent = (torch.tensor([[number]], dtype=torch.float64) for number in (value, exponent))
    power = mirror_descent.power(value, exponent).item()
    assert power == pytest.approx((value**exponent).item(), rel=(3 + 2 * abs(logarithm)) * np.finfo(float).eps, abs=0)
    assert mirror_descent.power(torch.zeros_like(value), exponent) == 0


def test_the_data_are_the_published_stream():
    """Every array from one generator: head, labels, tokens, queries, in single precision; unit vectors."""
    problem = random_queries.build(datasets=2, first_seed=7, **SIZE)
    for row, seed in enumerate((7, 8)):
        torch.manual_seed(seed)
        head = torch.randn(10)
        labels = torch.where(torch.randn(6) > 0, 1.0, -1.0)
        tokens, queries = torch.randn(6, 8, 10), torch.randn(6, 10)
        assert np.array_equal(problem.labels[row], labels.numpy())
        for stored, drawn in ((problem.head, head), (problem.tokens, tokens), (problem.queries, queries)):
            assert np.array_equal(stored[row], (drawn / drawn.norm(dim=-1, keepdim=True)).double().numpy())


def test_replications_share_the_data_and_differ_in_their_starts():
    problem = random_queries.build(datasets=2, replications=[0, 3], exponents=[1.75, 3.0], **SIZE)
    assert problem.settings["replication"].tolist() == [0, 0, 3, 3]
    assert problem.settings["seed"].tolist() == [1, 2, 1, 2]
    assert np.array_equal(problem.tokens[:2], problem.tokens[2:])
    starts = problem.starts["p"]
    assert starts.shape == (4, 2, 100)
    assert len(np.unique(starts)) == starts.size
    alone = random_queries.build(datasets=1, first_seed=2, replications=[3], exponents=3.0, **SIZE)
    assert np.array_equal(alone.starts["p"][0, 0], starts[3, 1])
    shape = random_queries.shape(datasets=2, replications=[0, 3], exponents=[1.75, 3.0], **SIZE)
    assert (shape.problems, shape.key_dimension, shape.starts) == (4, 100, {"p": 2})
    assert problem.keys.shape == (4, 6, 8, 100)


@pytest.mark.parametrize(
    "wrong", [{"replications": [1, 1]}, {"exponents": [2.0, 2.0]}], ids=["replications", "exponents"]
)
def test_what_is_listed_twice_is_refused(wrong):
    with pytest.raises(ValueError, match=f"{next(iter(wrong))}: a value is listed twice"):
        random_queries.shape(datasets=1, **SIZE, **wrong)


@pytest.mark.parametrize(
    ("exponent", "step", "expected"),
    [(1.75, 200, (-2.00073, -0.03349)), (2.0, 400, (-2.56842, -0.32428)), (3.0, 1000, None)],
)
def test_the_published_path_in_both_arithmetics(exponent, step, expected):
    problem = random_queries.build(datasets=1, **SIZE)
    optimizer = partial(mirror_descent.step, exponent=exponent, step_size=0.1, epsilon=GUARD)
    ends = []
    for precision in ("stable", "float64"):
        model = self_attention.build(problem, logistic, precision, "cpu")
        run = Run(problem, {}, descend(model, {"p": optimizer}, {"p": np.zeros((1, 1))}, recorded=[0, step]), {})
        series = entries.measure(run, first=[1, 2], second=[3, 4])
        ends.append([series[name][-1, 0, 0] for name in entries.SERIES])
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-9)
    if expected:
        np.testing.assert_allclose(ends[0], expected, atol=1e-5)


def test_entries_of_something_else_than_a_matrix_are_refused():
    run = Run(None, {}, {"step": np.arange(1), "p": np.zeros((1, 1, 1, 5))}, {})
    with pytest.raises(ValueError, match="of a vector with 5 coordinates"):
        entries.measure(run, first=[0, 0], second=[1, 1])


def run_of(values, weights, exponent, parameter="p"):
    reference = {"parameter": parameter, "weights": weights}
    settings = {"optimizer": {"kind": "mirror_descent", "exponent": exponent}, "head_optimizer": None}
    return Run(None, {"svm": reference}, {"step": np.arange(len(values)), parameter: values}, settings)


@some
@given(seed=st.integers(0, 10**6), exponent=st.floats(1.05, 10), factor=st.floats(1e-3, 1e3))
def test_the_divergence_is_its_definition(seed, exponent, factor):
    rng = np.random.default_rng(seed)
    w, target = rng.standard_normal((2, 6))
    norm = lambda x: (np.abs(x) ** exponent).sum() ** (1 / exponent)  # noqa: E731
    potential = lambda x: (np.abs(x) ** exponent).sum() / exponent  # noqa: E731
    A, B = target / norm(target), w / norm(w)
    expected = potential(A) - potential(B) - (np.sign(B) * np.abs(B) ** (exponent - 1)) @ (A - B)
    values = np.stack([factor * w, target, np.zeros(6)])[:, None, None]
    measured = bregman.measure(run_of(values, target[None], exponent))
    np.testing.assert_allclose(measured["bregman_svm"][0, 0, 0], expected, atol=1e-12)
    np.testing.assert_allclose(measured["bregman_svm"][1, 0, 0], 0, atol=1e-12)
    assert np.isnan(measured["bregman_svm"][2, 0, 0])
    np.testing.assert_allclose(measured["lp_norm_p"][:, 0, 0], [factor * norm(w), norm(target), 0], rtol=1e-10)


def test_starts_with_exponents_of_their_own_are_measured_in_their_own():
    rng = np.random.default_rng(0)
    values, weights = rng.standard_normal((3, 2, 2, 5)), rng.standard_normal((2, 5))
    together = bregman.measure(run_of(values, weights, [1.5, 3.0]))
    for k, exponent in enumerate([1.5, 3.0]):
        alone = bregman.measure(run_of(values[:, :, [k]], weights, exponent))
        for name, series in alone.items():
            np.testing.assert_allclose(together[name][:, :, [k]], series, rtol=1e-12)


def test_the_norm_of_a_matrix_is_that_of_its_entries():
    run = run_of(np.ones((1, 1, 1, 2)), np.ones((1, 2)), 3.0)
    run.trajectory["W"] = np.array([[1.0, -2.0], [0.0, 3.0]])[None, None, None]
    np.testing.assert_allclose(bregman.measure(run)["lp_norm_W"], [[[36 ** (1 / 3)]]], rtol=1e-15)


def test_the_divergence_needs_an_exponent():
    run = run_of(np.ones((1, 1, 1, 2)), np.ones((1, 2)), 2.0)
    run.settings["optimizer"] = {"kind": "gd"}
    with pytest.raises(ValueError, match="such as mirror_descent, not 'gd'"):
        bregman.measure(run)


def test_published_numbers_are_single_precision():
    problem = labelled_sequences.build(inputs=INPUTS)
    assert problem.tokens[0, 0, 0].tolist() == [float(np.float32(-2.7)), float(np.float32(1.2))]
    assert np.array_equal(problem.queries, problem.tokens[:, :, 0])
    assert problem.keys.shape == (1, 2, 3, 4)
    shape = labelled_sequences.shape(inputs=INPUTS)
    assert (shape.key_dimension, shape.fixed_head, shape.dimension) == (4, False, 2)


def test_the_head_moves_first_and_probabilities_are_those_of_the_published_figure():
    problem = labelled_sequences.build(inputs=INPUTS)
    optimizer = partial(mirror_descent.step, exponent=2.0, step_size=0.1, epsilon=GUARD)
    model = self_attention.build(problem, logistic, "stable", "cpu")
    zeros = {"p": np.zeros((1, 1)), "v": np.zeros((1, 1))}
    trajectory = descend(model, {"p": optimizer, "v": optimizer}, zeros, recorded=range(22))
    assert not trajectory["p"][1].any()
    assert trajectory["v"][1].any()
    measured = selected_logistic.measure(Run(problem, {}, trajectory, {}))["selected_logistic"][:, 0, 0]
    np.testing.assert_allclose(measured[[0, 10, 20]], [0.5437, 0.9134, 0.9896], atol=5e-5)
    assert np.isnan(measured[-1])


def test_a_run_without_a_head_has_no_logistic_probability():
    with pytest.raises(ValueError, match="trains the head"):
        selected_logistic.measure(Run(None, {}, {"step": np.arange(1), "p": np.zeros((1, 1, 1, 4))}, {}))


def test_a_guard_without_a_division_is_refused():
    with pytest.raises(ValueError, match="guards the division of a normalized step"):
        mirror_descent.step(*random_pair(1), FIRST, exponent=2.0, step_size=0.1, normalized=False, epsilon=GUARD)


def test_skipped_iterates_have_no_logistic_probability():
    arrays = {"step": np.array([0, 2]), "p": np.zeros((2, 1, 1, 4)), "v": np.zeros((2, 1, 1, 2))}
    with pytest.raises(ValueError, match="record_every: 1"):
        selected_logistic.measure(Run(None, {}, arrays, {}))


def test_the_nearest_norm_is_that_of_the_smallest_divergence():
    weights = np.eye(3)[:, None]
    w = [[[[3.0, 1, 0], [3.0, 1, 0]]], [[[0.0, 1, 3], [0.1, 5, 0]]], [[[0.0, 0, 0], [0.1, 5, 0]]]]
    run = run_of(np.array(w), weights[0], [1.5, 2.0])
    run.references.update({name: {"parameter": "p", "weights": weights[k]} for k, name in enumerate("abc")})
    measured = nearest_norm.measure(run, references={"a": 1.5, "b": 2.0, "c": 3.0})["own_norm_is_nearest"]
    np.testing.assert_array_equal(measured[:, 0], [[1, 0], [0, 1], [np.nan, 1]])


def test_optimal_tokens_are_those_of_the_highest_scores():
    problem = random_queries.build(datasets=2, **SIZE)
    chosen = problem.keys[np.arange(2)[:, None], np.arange(6), problem.optimal]
    towards = (chosen - problem.keys.mean(2)).sum(1)
    trajectory = {"step": np.arange(1), "p": np.stack([towards, -towards], axis=1)[None]}
    measured = optimal_tokens.measure(Run(problem, {}, trajectory, {}))["selects_optimal"]
    selected = (problem.keys @ trajectory["p"][0, :, 0, None, :, None])[..., 0].argmax(-1)
    assert measured[0, :, 0].tolist() == (selected == problem.optimal).all(-1).tolist()
    assert measured[0, :, 1].tolist() == [0, 0]


def test_constant_steps_lower_the_risk_every_time():
    problem = queries_near_svm.build(datasets=3, **SIZE, exponents=[1.75, 2.0, 3.0], norm=6, perturbation=0.5)
    optimizer = partial(mirror_descent.step, exponent=[1.75, 2.0, 3.0], step_size=1.0, normalized=False)
    model = self_attention.build(problem, logistic, "stable", "cpu")
    trajectory = descend(model, {"p": optimizer}, problem.starts, recorded=range(1001))
    run = Run(problem, {}, trajectory, {"loss": "logistic", "optimizer": {"exponent": [1.75, 2.0, 3.0]}})
    assert (np.diff(rates.measure(run)["log_gap"], axis=0) < 0).all()
    assert (np.diff(bregman.measure(run)["lp_norm_p"], axis=0) > 0).all()


def test_the_textbook_gradient_in_closed_form_is_that_of_automatic_differentiation():
    problem = random_queries.build(datasets=2, **SIZE)
    joint = labelled_sequences.build(inputs=INPUTS)
    rng = np.random.default_rng(2)
    for data, names in ((problem, ("p",)), (joint, ("p", "v"))):
        sizes = {"p": data.keys.shape[-1], "v": data.tokens.shape[-1]}
        start = {name: rng.standard_normal((2, sizes[name])) for name in names}
        closed, automatic = (
            kind.build(data, logistic, "float64", "cpu") for kind in (self_attention, prompt_attention)
        )
        for name, expected in automatic.gradient(automatic.initial(start)).items():
            got = closed.gradient(closed.initial(start))[name]
            np.testing.assert_allclose(got.value(), expected.value(), rtol=1e-10, atol=1e-14)

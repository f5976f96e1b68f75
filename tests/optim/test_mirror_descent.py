"""Mirror descent: its update, its data, its divergence, and the published path."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_dynamics.attention.descent import descend
from attention_dynamics.attention.gradient_descent import GradientDescent
from attention_dynamics.attention.losses.logistic import Logistic
from attention_dynamics.attention.models.self_attention import SelfAttention
from attention_dynamics.measures.bregman import Bregman
from attention_dynamics.measures.entries import Entries
from attention_dynamics.measures.nearest_norm import NearestNorm
from attention_dynamics.measures.optimal_tokens import OptimalTokens
from attention_dynamics.measures.rates import Rates
from attention_dynamics.measures.selected_logistic import SelectedLogistic
from attention_dynamics.optim.gd import GD
from attention_dynamics.optim.mirror_descent import MirrorDescent
from attention_dynamics.problems.labelled_sequences import LabelledSequences
from attention_dynamics.problems.queries_near_svm import QueriesNearSVM
from attention_dynamics.problems.random_queries import RandomQueries
from attention_dynamics.run import Run

GUARD = 2.0**-52
SIZE = {"n": 6, "T": 8, "d": 10}
INPUTS = [
    {"tokens": [[-2.7, 1.2], [1.4, 2.1], [1.3, -0.1]], "label": 1},
    {"tokens": [[0.4, -2.2], [-1.1, -0.4], [0.9, 0.1]], "label": -1},
]
some = settings(deadline=None, max_examples=60, derandomize=True)


def test_data_equal_published_random_stream():
    """Every array from one generator: head, labels, tokens, queries, in single precision; unit vectors."""
    problem = RandomQueries(datasets=2, first_seed=7, **SIZE).build()
    for row, seed in enumerate((7, 8)):
        torch.manual_seed(seed)
        head = torch.randn(10)
        labels = torch.where(torch.randn(6) > 0, 1.0, -1.0)
        tokens, queries = torch.randn(6, 8, 10), torch.randn(6, 10)
        assert np.array_equal(problem.labels[row], labels.numpy())
        for stored, drawn in ((problem.head, head), (problem.tokens, tokens), (problem.queries, queries)):
            assert np.array_equal(stored[row], (drawn / drawn.norm(dim=-1, keepdim=True)).double().numpy())


def test_replications_share_data_and_differ_in_their_starts():
    source = RandomQueries(datasets=2, replications=[0, 3], exponents=[1.75, 3.0], **SIZE)
    problem, shape = source.build(), source.shape
    assert problem.settings["replication"].tolist() == [0, 0, 3, 3]
    assert problem.settings["seed"].tolist() == [1, 2, 1, 2]
    assert np.array_equal(problem.tokens[:2], problem.tokens[2:])
    starts = problem.starts["W"]
    assert starts.shape == (4, 2, 100)
    assert len(np.unique(starts)) == starts.size
    alone = RandomQueries(datasets=1, first_seed=2, replications=[3], exponents=3.0, **SIZE).build()
    assert np.array_equal(alone.starts["W"][0, 0], starts[3, 1])
    assert (shape.problems, shape.key_dimension, shape.starts) == (4, 100, {"W": 2})
    assert problem.keys.shape == (4, 6, 8, 100)


@pytest.mark.parametrize(
    ("exponent", "step", "expected"),
    [(1.75, 200, (-2.00073, -0.03349)), (2.0, 400, (-2.56842, -0.32428)), (3.0, 1000, None)],
)
def test_training_reproduces_published_path_in_both_precisions(exponent, step, expected):
    problem = RandomQueries(datasets=1, **SIZE).build()
    optimizer = MirrorDescent(exponent=exponent, step_size=0.1, epsilon=GUARD)
    ends = []
    for precision in ("stable", "float64"):
        model = SelfAttention().bind(problem, Logistic(), precision)
        trajectory = descend(model, {"W": optimizer}, {"W": np.zeros((1, 1))}, record_steps=[0, step])
        series = Entries(first=[1, 2], second=[3, 4]).measure(run_of(trajectory, problem))
        ends.append([series[name][-1, 0, 0] for name in Entries.series])
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-9)
    if expected:
        np.testing.assert_allclose(ends[0], expected, atol=1e-5)


def run_of(trajectory, problem=None, optimizer=None, references=None):
    training = GradientDescent(
        model="self_attention", loss="logistic", optimizer=optimizer or GD(step_size=1.0), start={"W": [[0]]}, steps=1
    )
    return Run(training=training, problem=problem, trajectory=trajectory, references=references or {})


def mirror_run(values, weights, exponent, parameter="p"):
    reference = {"parameter": parameter, "weights": weights}
    optimizer = MirrorDescent(exponent=exponent, step_size=0.1)
    recorded = "W" if parameter == "p" else parameter
    return run_of({"step": np.arange(len(values)), recorded: values}, None, optimizer, {"svm": reference})


@some
@given(seed=st.integers(0, 10**6), exponent=st.floats(1.05, 10), factor=st.floats(1e-3, 1e3))
def test_bregman_divergence_matches_definition(seed, exponent, factor):
    rng = np.random.default_rng(seed)
    w, target = rng.standard_normal((2, 6))
    norm = lambda x: (np.abs(x) ** exponent).sum() ** (1 / exponent)  # noqa: E731
    potential = lambda x: (np.abs(x) ** exponent).sum() / exponent  # noqa: E731
    A, B = target / norm(target), w / norm(w)
    expected = potential(A) - potential(B) - (np.sign(B) * np.abs(B) ** (exponent - 1)) @ (A - B)
    values = np.stack([factor * w, target, np.zeros(6)])[:, None, None]
    measured = Bregman().measure(mirror_run(values, target[None], exponent))
    np.testing.assert_allclose(measured["bregman_svm"][0, 0, 0], expected, atol=1e-12)
    np.testing.assert_allclose(measured["bregman_svm"][1, 0, 0], 0, atol=1e-12)
    assert np.isnan(measured["bregman_svm"][2, 0, 0])
    np.testing.assert_allclose(measured["lp_norm_W"][:, 0, 0], [factor * norm(w), norm(target), 0], rtol=1e-10)


def test_divergence_uses_exponent_of_each_start():
    rng = np.random.default_rng(0)
    values, weights = rng.standard_normal((3, 2, 2, 5)), rng.standard_normal((2, 5))
    together = Bregman().measure(mirror_run(values, weights, [1.5, 3.0]))
    for k, exponent in enumerate([1.5, 3.0]):
        alone = Bregman().measure(mirror_run(values[:, :, [k]], weights, exponent))
        for name, series in alone.items():
            np.testing.assert_allclose(together[name][:, :, [k]], series, rtol=1e-12)
    # The norm of a matrix is that of its entries.
    matrix = mirror_run(np.array([[[[[1.0, -2.0], [0.0, 3.0]]]]]), np.ones((1, 2)), 3.0)
    np.testing.assert_allclose(Bregman().measure(matrix)["lp_norm_W"], [[[36 ** (1 / 3)]]], rtol=1e-15)


def test_published_numbers_are_single_precision():
    source = LabelledSequences(inputs=INPUTS)
    problem, shape = source.build(), source.shape
    assert problem.tokens[0, 0, 0].tolist() == [float(np.float32(-2.7)), float(np.float32(1.2))]
    assert np.array_equal(problem.queries, problem.tokens[:, :, 0])
    assert problem.keys.shape == (1, 2, 3, 4)
    assert (shape.key_dimension, shape.fixed_head, shape.dimension) == (4, False, 2)


def test_head_moves_first_and_probabilities_match_published_figure():
    problem = LabelledSequences(inputs=INPUTS).build()
    optimizer = MirrorDescent(exponent=2.0, step_size=0.1, epsilon=GUARD)
    model = SelfAttention().bind(problem, Logistic())
    zeros = {"W": np.zeros((1, 1)), "v": np.zeros((1, 1))}
    trajectory = descend(model, {"W": optimizer, "v": optimizer}, zeros, record_steps=range(22))
    assert not trajectory["W"][1].any()
    assert trajectory["v"][1].any()
    measured = SelectedLogistic().measure(run_of(trajectory, problem))["selected_logistic"][:, 0, 0]
    np.testing.assert_allclose(measured[[0, 10, 20]], [0.5437, 0.9134, 0.9896], atol=5e-5)
    assert np.isnan(measured[-1])


def test_nearest_norm_has_smallest_divergence():
    weights = np.eye(3)[:, None]
    w = [[[[3.0, 1, 0], [3.0, 1, 0]]], [[[0.0, 1, 3], [0.1, 5, 0]]], [[[0.0, 0, 0], [0.1, 5, 0]]]]
    run = mirror_run(np.array(w), weights[0], [1.5, 2.0])
    run.references.update({name: {"parameter": "p", "weights": weights[k]} for k, name in enumerate("abc")})
    measured = NearestNorm(references={"a": 1.5, "b": 2.0, "c": 3.0}).measure(run)["own_norm_is_nearest"]
    np.testing.assert_array_equal(measured[:, 0], [[1, 0], [0, 1], [np.nan, 1]])


def test_optimal_tokens_have_highest_scores():
    problem = RandomQueries(datasets=2, **SIZE).build()
    chosen = problem.keys[np.arange(2)[:, None], np.arange(6), problem.optimal]
    towards = (chosen - problem.keys.mean(2)).sum(1)
    trajectory = {"step": np.arange(1), "W": np.stack([towards, -towards], axis=1)[None]}
    measured = OptimalTokens().measure(run_of(trajectory, problem))["selects_optimal"]
    selected = (problem.keys @ trajectory["W"][0, :, 0, None, :, None])[..., 0].argmax(-1)
    assert measured[0, :, 0].tolist() == (selected == problem.optimal).all(-1).tolist()
    assert measured[0, :, 1].tolist() == [0, 0]


def test_constant_steps_lower_risk_at_every_step():
    problem = QueriesNearSVM(datasets=3, **SIZE, exponents=[1.75, 2.0, 3.0], norm=6, perturbation=0.5).build()
    optimizer = MirrorDescent(exponent=[1.75, 2.0, 3.0], step_size=1.0, normalized=False)
    model = SelfAttention().bind(problem, Logistic())
    trajectory = descend(model, {"W": optimizer}, problem.starts, record_steps=range(1001))
    run = run_of(trajectory, problem, optimizer)
    assert (np.diff(Rates().measure(run)["log_gap"], axis=0) < 0).all()
    assert (np.diff(Bregman().measure(run)["lp_norm_W"], axis=0) > 0).all()


def recorded(*steps, **arrays):
    return run_of({"step": np.array(steps), **arrays})


def test_unsuitable_runs_are_refused():
    for measure, run, message in (
        (Entries(first=[0, 0], second=[1, 1]), recorded(0, p=np.zeros((1, 1, 1, 5))),
         "do not exist in a parameter with 5 coordinates"),
        (Bregman(), recorded(0, p=np.ones((1, 1, 1, 2))), "such as mirror_descent, not 'gd'"),
        (SelectedLogistic(), recorded(0, p=np.zeros((1, 1, 1, 4))), "trains the head"),
        (SelectedLogistic(), recorded(0, 2, p=np.zeros((2, 1, 1, 4)), v=np.zeros((2, 1, 1, 2))), "record_every: 1"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=message):
            measure.measure(run)

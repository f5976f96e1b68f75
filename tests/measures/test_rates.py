"""The measures of rates and directions: against their definitions, on runs where these can be evaluated plainly."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import softmax

from attention_dynamics.attention.losses.correlation import Correlation
from attention_dynamics.margins.attention_svm import AttentionSVM
from attention_dynamics.margins.label_svm import LabelSVM
from attention_dynamics.margins.references import solve_references
from attention_dynamics.measures.direction import Direction
from attention_dynamics.measures.head_margin import HeadMargin
from attention_dynamics.measures.norm_bounds import NormBounds
from attention_dynamics.measures.rates import Rates
from attention_dynamics.problems.nearly_orthogonal import NearlyOrthogonal
from attention_dynamics.run import Run, nested
from attention_dynamics.training import Training

SMALL = {"seeds": [0, 7], "n": 4, "T": 3, "d": 9}
NORMALIZED = {"kind": "normalized_gd", "step_size": 0.3}


def training(optimizer, start) -> Training:
    settings = {"kind": "gradient_descent", "model": "self_attention", "loss": "logistic", "steps": 30}
    return Training.of({**settings, "optimizer": optimizer, "start": start})


def trained(references, start, **variant) -> Run:
    problem = NearlyOrthogonal(**SMALL, **variant).build()
    method = training(NORMALIZED, start)
    solved = nested(solve_references(problem, references))["references"]
    return Run(training=method, problem=problem, trajectory=method.train(problem), references=solved)


@pytest.fixture(scope="module")
def attention_only():
    return trained({"w_mm": AttentionSVM()}, {"W": {"of_problem": [0, 1]}}, start_norms=[0, 2])


@pytest.fixture(scope="module")
def joint():
    start = {"W": [[0]], "v": {"of_problem": [0]}}
    references = {"w_mm": AttentionSVM(), "u_mm": LabelSVM()}
    return trained(references, start, noise_query=True, norm=2.0, head_start=0.1)


@pytest.mark.parametrize("name", ["attention_only", "joint"])
def test_rates_match_definitions(name, request):
    run = request.getfixturevalue(name)
    problem, measured = run.problem, Rates().measure(run)
    assert set(measured) == set(Rates.series)
    for t, k, s in np.ndindex(run.trajectory["W"].shape[:3]):
        attention = softmax(problem.keys[k] @ run.trajectory["W"][t, k, s], axis=-1)
        head = problem.head[k] if problem.head is not None else run.trajectory["v"][t, k, s]
        scores = problem.labels[k][:, None] * (problem.tokens[k] @ head)
        loss = np.log1p(np.exp(-(attention * scores).sum(-1))).mean()
        infimum = np.log1p(np.exp(-scores.max(-1))).mean() if problem.head is not None else 0.0
        optimal = np.take_along_axis(attention, problem.optimal[k][:, None], 1)
        found = {series: values[t, k, s] for series, values in measured.items()}
        np.testing.assert_allclose(found["loss"], loss, rtol=1e-12)
        np.testing.assert_allclose(np.exp(found["log_gap"]), loss - infimum, rtol=1e-9)
        np.testing.assert_allclose(10 ** found["log10_gap"], loss - infimum, rtol=1e-9)
        np.testing.assert_allclose(found["optimal"], optimal.mean(), rtol=1e-12)
        np.testing.assert_allclose(np.exp(found["log_nonoptimal"]), 1 - optimal.mean(), rtol=1e-9)
        np.testing.assert_allclose(np.exp(found["log_nonoptimal_largest"]), 1 - optimal.min(), rtol=1e-9)


def test_directions_match_definitions(joint):
    measured = Direction().measure(joint)
    assert len(measured) == 8
    for name, parameter in (("w_mm", "W"), ("u_mm", "v")):
        reference, values = joint.references[name], joint.trajectory[parameter]
        for t, k in np.ndindex(values.shape[:2]):
            value, size = values[t, k, 0], np.linalg.norm(values[t, k, 0])
            cosine = reference["direction"][k] @ value / size if size else np.nan
            np.testing.assert_allclose(measured[f"misalignment_{name}"][t, k, 0], 1 - cosine, atol=1e-14)
            np.testing.assert_allclose(measured[f"distance_{name}"][t, k, 0] ** 2, 2 - 2 * cosine, atol=1e-14)
            np.testing.assert_allclose(measured[f"scaled_norm_{name}"][t, k, 0], size / reference["norm"][k])
            # Steps all have the same length here.
            np.testing.assert_allclose(measured[f"scaled_path_{name}"][t, k, 0], 0.3 * t / reference["norm"][k])


def test_nearly_reached_direction_differs_from_reached():
    unit, off = np.array([1.0, 0, 0]), np.array([1.0, 1e-12, 0])
    reference = {"parameter": "p", "direction": unit[None], "norm": np.ones(1)}
    trajectory = {"step": np.arange(2), "W": np.stack([unit, off])[:, None, None]}
    run = Run(training=None, problem=None, trajectory=trajectory, references={"w_mm": reference})
    np.testing.assert_allclose(Direction().measure(run)["misalignment_w_mm"][:, 0, 0], [0, 0.5e-24], rtol=1e-9)


def test_norm_bounds_hold_and_match_definitions(attention_only):
    run = attention_only
    measured = NormBounds(reference="w_mm").measure(run)
    W, solved = run.trajectory["W"], run.references["w_mm"]
    norm, longest = np.linalg.norm(W, axis=-1), np.linalg.norm(run.problem.tokens, axis=-1).max((1, 2))
    for t, k, s in np.ndindex(W.shape[:3]):
        bound = 1 / (2 * longest[k] ** 2)
        found = {series: values[t, k, s] for series, values in measured.items()}
        np.testing.assert_allclose(found["norm_below_upper"], 0.3 * t + norm[0, k, s] - norm[t, k, s], atol=1e-12)
        lower = 0.3 * t * bound / solved["norm"][k] - norm[0, k, s]
        np.testing.assert_allclose(found["norm_above_lower"], norm[t, k, s] - lower, atol=1e-12)
        if t < 30:
            along = (W[t + 1, k, s] - W[t, k, s]) @ solved["weights"][k] / 0.3
            np.testing.assert_allclose(found["alignment"], along, rtol=1e-9)
            np.testing.assert_allclose(found["alignment_over_bound"], along / bound, rtol=1e-9)
    assert measured["norm_below_upper"].min() > -1e-12
    assert measured["norm_above_lower"].min() >= 0
    assert np.nanmin(measured["alignment_over_bound"]) >= 1
    # It needs the next iterate.
    assert np.isnan(measured["alignment"][-1]).all()
    some = replace(run, trajectory={name: values[[0, 1, 5, 6, 30]] for name, values in run.trajectory.items()})
    known = ~np.isnan(NormBounds(reference="w_mm").measure(some)["alignment"][:, 0, 0])
    assert known.tolist() == [True, False, True, False, False]


def test_unsuitable_runs_are_refused(attention_only):
    correlation = attention_only.training.model_copy(update={"loss": Correlation()})
    changes = ({"kind": "gd"}, {"decay": 1.0}, {"epsilon": 1e-9})
    optimizers = [training(NORMALIZED | change, {"W": [[0]]}) for change in changes]
    for measure, method, message in (
        (Rates(), correlation, "infimum zero, not 'correlation'"),
        *((NormBounds(reference="w_mm"), one, "needs a run of normalized_gd") for one in optimizers),
        (HeadMargin(reference="u_mm"), attention_only.training, "trains the head"),
    ):
        with pytest.raises(ValueError, match=message):
            measure.measure(replace(attention_only, training=method))


def test_max_margin_head_has_margin_one(joint):
    best = joint.references["u_mm"]["weights"][None, :, None]
    run = replace(joint, trajectory=joint.trajectory | {"v": np.concatenate([best, 7 * best])})
    np.testing.assert_allclose(HeadMargin(reference="u_mm").measure(run)["head_margin"], 1, rtol=1e-9)
    measured = HeadMargin(reference="u_mm").measure(joint)
    assert measured["head_margin"].max() <= 1 + 1e-9
    np.testing.assert_allclose(measured["head_margin"] + measured["head_margin_shortfall"], 1)
    u, problem = joint.trajectory["v"][3, 1, 0], joint.problem
    margins = [y * (x[t] @ u) for y, x, t in zip(problem.labels[1], problem.tokens[1], problem.optimal[1], strict=True)]
    expected = min(margins) / np.linalg.norm(u) * joint.references["u_mm"]["norm"][1]
    np.testing.assert_allclose(measured["head_margin"][3, 1, 0], expected, rtol=1e-12)

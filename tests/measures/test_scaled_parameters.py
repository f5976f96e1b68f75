"""Measures of parameters from 1e-300 to 1e300: each series scales as a power of the parameters, to rounding."""

from dataclasses import replace
from functools import cache, partial
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_dynamics.attention.losses.logistic import Logistic
from attention_dynamics.margins.attention_svm import AttentionSVM
from attention_dynamics.margins.label_svm import LabelSVM
from attention_dynamics.margins.references import solve_references
from attention_dynamics.measures.measure import Measure
from attention_dynamics.optim.mirror_descent import MirrorDescent
from attention_dynamics.optim.normalized_gd import NormalizedGD
from attention_dynamics.problems.random_sphere import RandomSphere
from attention_dynamics.registry import find, kinds
from attention_dynamics.run import Run, nested
from attention_dynamics.scaling import binary_scale, euclidean_norm, unit_vectors

# The degree of each series, the settings of the measure, and the optimizer of the run.
MIRROR, NORMALIZED = MirrorDescent(exponent=1.01, step_size=0.1), NormalizedGD(step_size=0.1)
DEGREES = {
    "angle_from_start": {"angle_from_start": 0},
    "bregman": {"bregman_gmm": 0, "lp_norm_p": 1},
    "correlation": {"correlation_gmm": 0, "correlation_head": 0},
    "direction": {"distance_gmm": 0, "misalignment_head": 0, "scaled_norm_gmm": 1, "scaled_path_head": 1},
    "directional_risk": {"margin": 0, "margin_gap": 0, "neighbors": 0, "neighbor_optimal": 0, "selection": 0},
    "entries": {"first_entry": 1, "second_entry": 1},
    "head_margin": {"head_margin": 0},
    "limit": {"limit": 0},
    "nearest_norm": {"own_norm_is_nearest": 0},
    "norm": {"norm_p": 1, "norm_v": 1, "norm_W": 1},
    "norm_bounds": {"alignment": 0, "alignment_over_bound": 0},
    "solution_distance": {"solution_distance": 0},
}
SETTINGS = {
    "entries": {"first": (0, 0), "second": (1, 1)},
    "head_margin": {"reference": "head"},
    "limit": {"cone": "gmm", "radius": 1.0, "converged": 0.3},
    "nearest_norm": {"references": {"gmm": 2.0, "other": 1.01}},
    "norm_bounds": {"reference": "gmm"},
    "solution_distance": {"references": ["gmm", "other"]},
}
# Functions of the softmax and the risk, and verdicts on problems and references.
OF_LOGITS = {
    "descent_conditions", "feasibility", "mixing", "optimal_tokens", "plateau", "probability", "rates",
    "selected_logistic", "selection",
}  # fmt: skip


@cache
def run_of(kind) -> Run:
    problem, rng = RandomSphere(trials=2, n=3, T=4, d=4, seed=0).build(), np.random.default_rng(0)
    programs = {"gmm": AttentionSVM(), "other": AttentionSVM(select=(0, 1, 2)), "head": LabelSVM()}
    shapes = {"p": (4,), "v": (4,), "W": (4, 4)}
    trajectory = {name: rng.standard_normal((3, 2, 2, *shape)) for name, shape in shapes.items()}
    training = SimpleNamespace(
        optimizer=NORMALIZED if kind == "norm_bounds" else MIRROR, loss=Logistic(),
        model=SimpleNamespace(query=(1.0, 3.0, 0.0, -2.0), transposed=False),
    )  # fmt: skip
    return Run(
        training=training, problem=problem, trajectory={"step": np.arange(3), **trajectory},
        references=nested(solve_references(problem, programs))["references"],
    )  # fmt: skip


def scaled(run, factor) -> Run:
    times = lambda arrays: {name: array if name == "step" else factor * array for name, array in arrays.items()}  # noqa: E731
    return replace(run, trajectory=times(run.trajectory))


def test_every_measure_of_tokens_has_degrees():
    of_tokens = {kind for kind in kinds(Measure) if "tokens" in find(Measure, kind).data}
    listed = set(DEGREES) | OF_LOGITS
    what = "the degree of each of its series to DEGREES (0 for an angle, 1 for a norm), or its kind to OF_LOGITS; "
    what += "settings without default to SETTINGS"
    assert not of_tokens - listed, f"new measure: add {what}: {sorted(of_tokens - listed)}"
    assert not listed - of_tokens, f"no such measure: remove it from DEGREES or OF_LOGITS: {sorted(listed - of_tokens)}"


@pytest.mark.parametrize("kind", DEGREES)
@settings(deadline=None, max_examples=20, derandomize=True)
@given(exponent=st.floats(-300, 300))
def test_series_scale_with_parameters(kind, exponent):
    measure, run, factor = find(Measure, kind)(**SETTINGS.get(kind, {})), run_of(kind), 10.0**exponent
    one, other = measure.measure(run), measure.measure(scaled(run, factor))
    for name, degree in DEGREES[kind].items():
        close = partial(np.testing.assert_allclose, rtol=1e-12, atol=1e-12 * factor**degree)
        wrong = f"{kind}: {name} is not of degree {degree}: correct DEGREES, or move the kind to OF_LOGITS"
        close(other[name], one[name] * factor**degree, err_msg=wrong)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_norms_in_range_keep_their_bits(dtype):
    rng = np.random.default_rng(0)
    for shape in [(5, 3, 4, 7), (100, 2, 3, 2), (11, 1, 2, 400)]:
        array = (rng.standard_normal(shape) * np.exp(rng.uniform(-20, 20, shape))).astype(dtype)
        for values in (array, array[::2], np.moveaxis(array, 0, 2)):
            sizes = np.linalg.norm(values, axis=-1)
            np.testing.assert_array_equal(euclidean_norm(values), sizes, strict=True)
            np.testing.assert_array_equal(unit_vectors(values), values / sizes[..., None], strict=True)


def test_zero_and_infinite_vectors_have_scale_one():
    values = np.array([[0.0, 0.0], [np.nan, 1.0], [-np.inf, 1.0], [-5e-324, 0.0], [1.7e308, 1.0]])
    np.testing.assert_array_equal(binary_scale(values)[:, 0], [1, 1, 1, 5e-324, 2.0**1023])
    np.testing.assert_array_equal(euclidean_norm(values), [0, np.nan, np.inf, 5e-324, 1.7e308])
    np.testing.assert_array_equal(unit_vectors(values[[0, 3]]), [[np.nan, np.nan], [-1, 0]])

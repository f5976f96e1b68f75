"""Measures on small hand-made runs, and the closed forms that figures are compared with."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_dynamics.attention.gradient_descent import GradientDescent
from attention_dynamics.attention.losses.correlation import Correlation as CorrelationLoss
from attention_dynamics.attention.losses.exponential import Exponential
from attention_dynamics.attention.losses.logistic import Logistic
from attention_dynamics.attention.models.prompt_attention import PromptAttention
from attention_dynamics.measures.angle_from_start import AngleFromStart
from attention_dynamics.measures.correlation import Correlation
from attention_dynamics.measures.limit import Limit
from attention_dynamics.measures.measure import Measure, measure_run
from attention_dynamics.measures.norm import Norm
from attention_dynamics.measures.norm_bounds import NormBounds
from attention_dynamics.measures.plateau import Plateau
from attention_dynamics.measures.probability import Probability
from attention_dynamics.measures.solution_distance import SolutionDistance
from attention_dynamics.problems.labelled_tokens import LabelledTokens
from attention_dynamics.problems.random_sphere import RandomSphere
from attention_dynamics.problems.scored_tokens import ScoredTokens
from attention_dynamics.registry import find, kinds
from attention_dynamics.run import Run, load_run, load_runs
from attention_dynamics.store import save_arrays
from attention_dynamics.theory.plateaus import correlation_plateau, logistic_plateau
from helpers.refusals import assert_refused

FIG5 = [
    {"tokens": [[0, 0], [1, 1]], "scores": [0, "C"], "label": 1},
    {"tokens": [[0, 0], [1, -1]], "scores": [0, 1], "label": 1},
]
LOSSES = {"correlation": (CorrelationLoss(), correlation_plateau), "logistic": (Logistic(), logistic_plateau)}
TRAINING = {
    "kind": "gradient_descent", "model": "prompt_attention", "loss": "logistic", "steps": 1,
    "optimizer": {"kind": "normalized_gd", "step_size": 0.1}, "start": {"p": [[0, 0, 0]]},
}  # fmt: skip


def run(problem=None, references=None, training=None, **trajectory) -> Run:
    """Return a run with these recorded parameters; references: name -> (parameter, weights of every problem)."""
    arrays = {name: np.array(values, dtype=float) for name, values in trajectory.items()}
    records = len(next(iter(arrays.values())))
    tables = {}
    for name, (parameter, weights) in (references or {}).items():
        weights = np.array(weights, dtype=float)
        norm = np.linalg.norm(weights, axis=-1)
        tables[name] = {
            "parameter": np.array(parameter), "weights": weights, "norm": norm, "feasible": np.isfinite(norm),
            "direction": weights / norm[:, None],
        }  # fmt: skip
    return Run(training=training, problem=problem, trajectory={"step": np.arange(records), **arrays}, references=tables)


def test_measures_name_their_series_and_data():
    for kind in kinds(Measure):
        measure = find(Measure, kind)
        assert measure.series
        assert set(measure.data) <= {"tokens", "sequences", "classes", "vocabulary", "images", "corpus", "texts"}


def test_correlation_is_cosine_with_each_reference():
    # One problem in the first axis of the parameters, then two starts: records x problems x starts x d.
    p = [[[[0, 0], [3, 4]]], [[[2, 0], [-3, -4]]]]
    v = [[[[0, 5], [1, 1]]], [[[1, 0], [0, 0]]]]
    references = {"gmm": ("p", [[1, 0]]), "lmm": ("p", [[0.6, 0.8]]), "head": ("v", [[0, 1]]), "other": ("W", [[1, 0]])}
    series = Correlation().measure(run(references=references, p=p, v=v))
    assert set(series) == {"correlation_gmm", "correlation_lmm", "correlation_head"}
    np.testing.assert_allclose(series["correlation_gmm"], [[[0, 0.6]], [[1, -0.6]]], atol=1e-15)
    np.testing.assert_allclose(series["correlation_lmm"], [[[0, 1]], [[0.6, -1]]], atol=1e-15)
    np.testing.assert_allclose(series["correlation_head"], [[[1, 0.5**0.5]], [[0, 0]]], atol=1e-15)
    # Every problem has a direction of its own.
    several = run(references={"gmm": ("p", [[1, 0], [0, 1], [0, 1]])}, p=[[[[1, 0]], [[1, 0]], [[0, -2]]]])
    np.testing.assert_array_equal(Correlation().measure(several)["correlation_gmm"], [[[1], [0], [-1]]])


def test_norm_is_of_vectors_and_matrices():
    series = Norm().measure(run(p=[[[[3, 4], [0, 0]]]], W=[[[[[1, 1], [1, 1]], [[0, 0], [0, -7]]]]]))
    assert set(series) == {"norm_p", "norm_W"}
    np.testing.assert_allclose(series["norm_p"], [[[5, 0]]])
    np.testing.assert_allclose(series["norm_W"], [[[2, 7]]])


def softmax(logits):
    weights = np.exp(logits - logits.max())
    return weights / weights.sum()


def expected_probabilities(problem, k, p, v):
    """Return the measure by its definition, one input at a time."""
    optimal, selected, logistic = [], [], []
    for X, K, Y, best in zip(problem.tokens[k], problem.keys[k], problem.labels[k], problem.optimal[k], strict=True):
        s = softmax(K @ p)
        optimal.append(s[best])
        selected.append(s.max())
        logistic.append(1 / (1 + np.exp(-Y * (s @ X @ v))))
    return np.mean(optimal), np.mean(selected), np.mean(logistic)


SERIES = ("softmax_optimal", "softmax_selected", "logistic")


def test_probabilities_match_softmax():
    inputs = [{"tokens": [[1, 1], [0, 0]], "label": 1}, {"tokens": [[1, -1], [0, 0]], "label": -1}]
    fixed, joint = RandomSphere(trials=2, n=3, T=4, d=5, seed=0).build(), LabelledTokens(inputs=inputs).build()
    rng = np.random.default_rng(0)
    p = rng.standard_normal((3, 2, 4, 5)) * np.array([0, 1, 30])[:, None, None, None]
    heads = np.broadcast_to(fixed.head[:, None], p.shape)
    for problem, head, arrays in (
        (fixed, heads, {"p": p}),
        (joint, p[:, :1, :, 2:4], {"p": p[:, :1, :, :2], "v": p[:, :1, :, 2:4]}),
    ):
        series = Probability().measure(run(problem, **arrays))
        for t, k, start in np.ndindex(head.shape[:3]):
            expected = expected_probabilities(problem, k, arrays["p"][t, k, start], head[t, k, start])
            np.testing.assert_allclose([series[name][t, k, start] for name in SERIES], expected, rtol=1e-12)


def around(degrees, size=1.0):
    """Points at these angles from the first axis."""
    angles = np.radians(np.array(degrees, dtype=float))
    return np.stack([size * np.cos(angles), size * np.sin(angles)], axis=-1)


AXES = {"gmm": ("p", [[1, 0]]), "lmm": ("p", [[0, 1]])}


def limits(start, end, references=AXES, **arguments):
    """The measure of a run from some points to others, with the cone around the reference gmm."""
    return Limit(cone="gmm", **{"radius": 1} | arguments).measure(run(references=references, p=[start, end]))


def test_limits_are_numbered_among_references_for_p():
    end = around([0, 89, 45, 180, -5, 95])
    for references in (AXES, {"head": ("v", [[1, 0]]), **AXES}):
        found = limits([around([0] * 6)], [end], references)["limit"]
        np.testing.assert_array_equal(found[:, 0], [[0] * 6, [0, 1, -1, -1, 0, 1]])
    # The second problem has no second reference.
    references = {"gmm": ("p", [[1, 0], [1, 0]]), "lmm": ("p", [[0, 1], [np.nan, np.nan]])}
    found = limits([around([3]), around([3])], [around([88]), around([2])], references)["limit"]
    np.testing.assert_array_equal(found[1].ravel(), [1, 0])


def test_convergence_threshold_is_cosine():
    for converged, expected in ((0.5, 0), (0.86, 0), (0.87, -1), (0.999, -1)):
        assert limits([around([0])], [around([30])], converged=converged)["limit"][1, 0, 0] == expected


def test_cone_ends_at_first_diverging_start():
    for angles, sizes, ends, expected in (
        ([10, 30, -20, 60], [6, 6, 6, 6], [0, 0, 90, 90], 20),
        ([10, 30, -20, 60], [6, 6, 6, 6], [0, 0, 0, 90], 60),
        ([10, 30, -20, 60], [6, 6, 4.9, 6], [0, 0, 90, 90], 60),
        ([10, 30, -20, 60], [6, 6, 6, 6], [45, 0, 0, 90], 10),
        ([10, 30, -20, 60], [6, 6, 6, 6], [0, 0, 0, 0], 180),
        ([0, 30, -20, 60], [5, 6, 6, 6], [90, 0, 0, 0], 0),
    ):
        start = around(angles) * np.array(sizes)[:, None]
        found = limits([start], [around(ends)], radius=5.0)["cone_angle"]
        assert found.shape == (2, 1, 1)
        assert found[1, 0, 0] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("C", [0.5, 1, 2, 3, 5, 10])
def test_plateau_is_where_transverse_velocity_changes_sign(loss, C):
    component, plateau_of = LOSSES[loss]
    problem = ScoredTokens(inputs=FIG5, settings={"C": [C]}).build()
    model = PromptAttention().bind(problem, component)
    height = float(plateau_of(C))

    def velocity(y):
        # Far out on the first axis, where the competitors' probabilities are exponentially small.
        gradient = model.gradient({"p": np.array([[[40.0, y, 0.0]]])})["p"].direction[0, 0]
        return -gradient[1] / np.linalg.norm(gradient)

    assert velocity(height - 1e-3) > 1e-4
    assert velocity(height + 1e-3) < -1e-4
    assert abs(velocity(height)) < 1e-9


@settings(deadline=None, max_examples=50, derandomize=True)
@given(st.floats(1e-3, 1e4))
def test_plateaus_are_log_ratio_of_pulls(C):
    def pull(score):
        return np.log(score) - np.logaddexp(0, score)

    np.testing.assert_allclose(logistic_plateau(C), (pull(C) - pull(1.0)) / 2, atol=1e-12 * max(1, C))
    assert correlation_plateau(C) == pytest.approx(np.log(C) / 2)


@pytest.mark.parametrize("loss", LOSSES)
def test_plateau_error_is_from_closed_form(loss):
    problem = ScoredTokens(inputs=FIG5, settings={"C": [1, 2, 10]}).build()
    p = np.zeros((2, 3, 1, 3))
    p[1, :, 0, :2] = [[7, 0.5], [8, -0.5], [9, 2.0]]
    series = Plateau().measure(run(problem, training=SimpleNamespace(loss=LOSSES[loss][0]), p=p))
    np.testing.assert_array_equal(series["transverse"][1, :, 0], [0.5, -0.5, 2.0])
    expected = np.array([0.5, -0.5, 2.0]) - LOSSES[loss][1]([1, 2, 10])
    np.testing.assert_allclose(series["plateau_error"][1, :, 0], expected, rtol=1e-14)


def test_angle_from_start_matches_definition():
    # Two problems, two starts each.
    start = [[[1, 0], [0, 2]], [[3, 0], [-1, 0]]]
    later = [[[5, 5], [0, 9]], [[0, -4], [7, 0]]]
    series = AngleFromStart().measure(run(p=[start, later]))
    assert set(series) == set(AngleFromStart.series)
    np.testing.assert_allclose(series["angle_from_start"], [[[0, 0], [0, 0]], [[45, 0], [90, 180]]], atol=1e-12)
    # Small angles are precise.
    small = AngleFromStart().measure(run(p=[[[[2, 0]]], [[[3, 3e-11]]]]))["angle_from_start"]
    assert small[1, 0, 0] == pytest.approx(np.degrees(1e-11), rel=1e-4)


def distances(p, **references):
    """Distances from the nearest of some weights, (records, problems), of one start."""
    one = run(p=p, references={name: ("p", weights) for name, weights in references.items()})
    series = SolutionDistance(references=list(references)).measure(one)
    assert set(series) == set(SolutionDistance.series)
    return series["solution_distance"][..., 0]


def test_distance_is_to_nearest_of_the_shortest_solutions():
    # Solutions of norm 2; the points are scaled to that norm.
    found = distances([[[[0, 0]]], [[[5, 0]]], [[[3, 4]]], [[[0, -7]]]], a=[[2, 0]], b=[[0, 2]])
    np.testing.assert_allclose(found[:, 0], [2, 0, np.hypot(1.2, 2 - 1.6), np.hypot(2, 2)], atol=1e-12)
    # In the first problem b is longer, in the second a is; an infeasible one never counts.
    p, b = [[[[0, 7]], [[0, 7]]]], [[0, 2], [0, 2]]
    found = distances(p, a=[[1, 0], [3, 0]], b=b, c=[[np.nan, np.nan], [np.nan, np.nan]])
    np.testing.assert_allclose(found, [[np.sqrt(2), 0]], atol=1e-12)
    np.testing.assert_allclose(distances(p, b=b), [[0, 0]], atol=1e-12)


SPHERE, FIVE = RandomSphere(trials=1, n=1, T=2, d=2, seed=0), ScoredTokens(inputs=FIG5, settings={"C": [1]})
RUN, CONE_OF_HEAD = run(p=[[[[1, 0]]]], references={"head": ("v", [[1, 0]]), **AXES}), Limit(cone="head", radius=1)
REFUSALS = [
    (lambda: find(Measure, "network")().check(GradientDescent.of(TRAINING)),
     "needs the setting deep_optimizer, which runs of kind gradient_descent do not"),
    (lambda: find(Measure, "cls_attention")().check(GradientDescent.of(TRAINING)),
     r"needs observe: \[cls_attention\]"),
    (lambda: CONE_OF_HEAD.measure(RUN),
     "cone: reference 'head' is not a direction of p; choose one of gmm, lmm"),
    (lambda: Plateau().measure(run(SPHERE.build(), training=SimpleNamespace(loss=Logistic()), p=[])), "setting C"),
    (lambda: Plateau().measure(run(FIVE.build(), training=SimpleNamespace(loss=Exponential()), p=[])), "'exponential'"),
    *((lambda p=p: AngleFromStart().measure(run(p=p)), "angle_from_start needs p to have a direction")
      for p in ([[[[0, 0]]], [[[1, 0]]]], [[[[1, 0]]], [[[0, 0]]]])),
    (lambda: SolutionDistance(references=["none"]).measure(
        run(p=[[[[1, 0]]]], references={"none": ("p", [[np.nan, np.nan]])})), "every reference is infeasible"),
    (lambda: SolutionDistance(references=["head"]).measure(RUN), "head is not a direction of p"),
    (lambda: RUN.at(6), "step 6 was not recorded"),
    (lambda: Measure.check(SimpleNamespace(series="a", kind="b"), None), r'needs the names of its series: .*\("a",\)'),
]  # fmt: skip


def returning(result):
    """Return a function that measures a run of three records, two problems and one start."""
    measure = SimpleNamespace(series=("a",), data=("tokens",), measure=lambda run: result)
    return lambda: measure_run(measure, run(SimpleNamespace(labels=np.ones((2, 1))), p=np.ones((3, 2, 1, 2))))


WRONG_RESULTS = [
    (returning(np.ones((3, 2, 1))), r"measure must return arrays by the names of series, got ndarray"),
    (returning({"b": np.ones((3, 2, 1))}), "measure returns b; its series are a"),
    (returning({"a": np.ones((3, 2, 1), complex)}), "a: need real numbers, got an array of complex128"),
    *((returning({"a": np.ones(shape)}), rf"here \(3, 2, k\), got \({', '.join(map(str, shape))}")
      for shape in ((), (3, 2), (3, 1, 1), (2, 2, 1), (3, 2, 1, 4))),
]  # fmt: skip


def test_results_of_measures_are_checked():
    np.testing.assert_array_equal(returning({"a": np.ones((3, 2, 1))})()["a"], np.ones((3, 2, 1)))
    assert_refused(WRONG_RESULTS)


def test_unsuitable_runs_are_refused():
    NormBounds(reference="w_mm").check(GradientDescent.of(TRAINING))
    assert_refused(REFUSALS)
    one = Run(training=None, problem=None, trajectory={"step": np.array([0, 5, 7])})
    assert [one.at(step) for step in (0, 5, 7)] == [0, 1, 2]


def stored(folder, contents) -> dict[str, str]:
    """Store arrays by stage; returns the files."""
    files = {name: str(folder / f"{name}.npz") for name in contents}
    for name, arrays in contents.items():
        save_arrays(files[name], arrays)
    return files


def test_run_is_loaded_from_files(tmp_path):
    problem = ScoredTokens(inputs=FIG5, settings={"C": [1, 2]}).build()
    other = {"references/found/direction": -np.eye(2), "references/found/parameter": np.array("p")}
    contents = {
        "data": problem.to_arrays(),
        "svm": {"references/gmm/direction": np.eye(2), "references/gmm/parameter": np.array("p"),
                "lmm_set/count": np.array(3)},
        "external-other": other,
        "train": {"step": np.arange(2), "p": np.ones((2, 2, 1, 3)), "settings": np.array("not read")},
        "measures": {"norm_p": np.ones((2, 2, 1))},
    }  # fmt: skip
    files = {f"one.{name}": [file] for name, file in stored(tmp_path, contents).items()}
    external = {"theirs": {"run": "other", "reference": "found"}}
    description = {"name": "one", "training": TRAINING, "saturated": 0.5, "external_references": external}
    (one,) = load_runs(files, [description]).values()
    assert one.training == GradientDescent.of(TRAINING)
    assert one.training.loss.kind == "logistic"
    assert one.saturated == 0.5
    assert one.lmm_set["count"] == 3
    assert str(one.references["gmm"]["parameter"]) == "p"
    np.testing.assert_array_equal(one.references["gmm"]["direction"], np.eye(2))
    np.testing.assert_array_equal(one.references["theirs"]["direction"], -np.eye(2))
    np.testing.assert_array_equal(one.problem.tokens, problem.tokens)
    np.testing.assert_array_equal(one.steps, [0, 1])
    np.testing.assert_array_equal(one.series["norm_p"], contents["measures"]["norm_p"])
    assert set(one.trajectory) == {"step", "p"}


def test_run_without_description_uses_stored_training(tmp_path):
    problem, training = ScoredTokens(inputs=FIG5, settings={"C": [1, 2]}).build(), GradientDescent.of(TRAINING)
    files = []
    for number in (1, 2):
        folder = tmp_path / str(number)
        folder.mkdir()
        files.append(stored(folder, {
            "data": problem.to_arrays(),
            "train": {"step": np.arange(2), "p": np.full((2, 2, 1, 3), float(number)),
                      "settings": np.array(training.model_dump_json())},
            "svm": {"references/gmm/direction": np.eye(2) * number, "references/gmm/parameter": np.array("p")},
        }))  # fmt: skip
    one = load_run({stage: [shard[stage] for shard in files] for stage in files[0]}, {})
    assert one.training == training
    assert one.problem.KIND == "tokens"
    assert one.problem.tokens.shape[0] == one.trajectory["p"].shape[1] == 4
    assert str(one.references["gmm"]["parameter"]) == "p"
    np.testing.assert_array_equal(one.references["gmm"]["direction"][:, 0], [1, 0, 2, 0])

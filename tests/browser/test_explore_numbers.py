"""The interactive page, opened from disk: its numbers are those of the library."""

import itertools
import json

import numpy as np
import pytest

from attention_dynamics.gallery.explore import make_example
from attention_dynamics.margins.attention_svm import attention_svm
from attention_dynamics.margins.label_svm import label_svm
from attention_dynamics.margins.local_optimality import local_optimality
from attention_dynamics.margins.max_margin import Infeasible
from attention_dynamics.margins.relaxed_svm import relaxed_svm
from attention_dynamics.optim.mirror_descent import signed_power
from attention_dynamics.problems.problem import token_scores
from attention_dynamics.problems.source import ProblemSource
from attention_dynamics.regularization.regularization_path import RegularizationPath
from attention_dynamics.training import Training
from helpers import chromium
from helpers.explore_script import (
    LOSSES,
    OPTIMIZERS,
    compare,
    explore_spec,
    library_paths,
    opened_page,
    page_paths,
    page_settings,
    random_problems,
    with_helpers,
)

pytestmark = chromium.NEEDED
STEPS = 1000
PRESETS = {spec["name"]: spec for spec in explore_spec()["presets"]}
# Inputs, tokens, and whether the head is trained: of each ten problems.
RANDOM = ((1, 4, False), (3, 3, True))
# The page's path may be as far from the library's as this many times what 1e-15 of a token moves the latter.
FACTOR = 100


@pytest.fixture(scope="module")
def evaluate():
    """Evaluate an expression in the page."""
    with opened_page() as evaluate:
        yield evaluate


def starts_of(problem, rng):
    points = {"p": rng.standard_normal((1, 2))}
    return points if problem.head is not None else {**points, "v": rng.standard_normal((1, 2))}


@pytest.mark.parametrize("settings", OPTIMIZERS, ids=lambda one: "-".join(map(str, one.values())))
@pytest.mark.parametrize("shape", RANDOM, ids=["fixed", "joint"])
def test_paths_of_random_problems_equal_the_library(evaluate, settings, shape):
    rng = np.random.default_rng(7)
    problem = random_problems(rng, 10, *shape)
    starts = starts_of(problem, rng)
    for loss in LOSSES:
        if problem.head is None and settings["optimizer"] == "polyak" and loss == "correlation":
            continue  # The risk has no infimum.
        page, nudged = compare(evaluate, problem, page_settings(**settings, loss=loss), starts, STEPS)
        assert (page <= np.maximum(1e-9, FACTOR * nudged)).all(), loss
        # Most paths must be compared to the end.
        assert np.mean(nudged[-1] <= 1e-9) >= 0.5, loss


@pytest.mark.parametrize("name", PRESETS)
def test_path_of_example_equals_the_library(evaluate, name):
    example = make_example(PRESETS[name])
    problem, index = ProblemSource.of(PRESETS[name]["problem"]).build(), 0
    for setting, value in PRESETS[name]["settings"].items():
        index = int(np.flatnonzero(problem.settings[setting] == value)[0])
    library = Training.of(PRESETS[name]["training"]).train(problem)
    found = json.loads(
        evaluate(
            f"""JSON.stringify((({{inputs, joint, settings, starts, steps}}) => starts.map(start => {{
              const path = descend(makeProblem(inputs, joint), settings, start, steps, 20)
              return {{steps: [...path.steps], p: [...path.p], v: path.v && [...path.v]}}
            }}))(JSON.parse(document.getElementById("presets").textContent).find(one => one.name == "{name}")))"""
        )
    )
    assert len(found) == len(example["starts"]) == library["p"].shape[2]
    rows = [int(np.flatnonzero(library["step"] == step)[0]) for step in found[0]["steps"]]
    assert found[0]["steps"][-1] == library["step"][-1] >= STEPS
    for start, path in enumerate(found):
        for parameter in ("p", "v") if example["joint"] else ("p",):
            expected = library[parameter][rows, index, start, :2]
            assert np.array(path[parameter]).reshape(-1, 2) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("loss", LOSSES)
def test_textbook_path_equals_the_library_while_it_has_digits(evaluate, loss):
    rng = np.random.default_rng(2)
    problem, settings = random_problems(rng, 10, 1, 4, joint=False), page_settings(loss=loss)
    starts = starts_of(problem, rng)
    _, nudged = compare(evaluate, problem, settings, starts, STEPS)
    settled = np.flatnonzero(nudged[-1, :, 0] <= 1e-9)
    assert len(settled) >= 7
    stable = library_paths(problem, settings, starts, STEPS)["p"][:, settled, 0]
    # Largest probability of a token that is not the most probable one, the smallest so far.
    logits = np.einsum("itx,rix->rit", problem.keys[settled, 0, :, :2], stable)
    s = np.exp(logits - logits.max(-1, keepdims=True))
    competitor = np.minimum.accumulate(np.sort(s / s.sum(-1, keepdims=True), axis=-1)[..., -2])

    def apart(precision):
        path = page_paths(evaluate, problem, {**settings, "precision": precision}, starts, STEPS)["p"]
        return np.abs(path[:, settled, 0] - stable).max(-1)

    # The textbook's gradient is off by about the rounding of 1 divided by that probability.
    double, single = apart("float64"), apart("float32")
    assert (double <= np.maximum(1e-9, 1e-15 / competitor))[competitor > 1e-10].all()
    saturated = competitor[-1] < 1e-10
    assert (single <= 1e-6 / competitor)[:, saturated][competitor[:, saturated] > 1e-3].all()
    # Later single precision goes astray, which is what the switch is there to show.
    assert single[-1].max() > 1


def directions(evaluate, tokens, scores, labels, joint=False):
    inputs = [
        {"tokens": x, "scores": g, "label": y}
        for x, g, y in zip(tokens.tolist(), scores.tolist(), labels.tolist(), strict=True)
    ]
    return evaluate(
        with_helpers(
            f"""(problem => {{
              const head = labelSvm(problem), relaxed = relaxedSvm(problem)
              return {{all: selections(problem).map(plain), lmm: lmm(problem).map(plain), gmm: gmm(problem).map(plain),
                head: head && [...head.weights], relaxed: plain(relaxed)}}
            }})(makeProblem({json.dumps(inputs)}, {json.dumps(joint)}))"""
        )
    )


@pytest.mark.parametrize("seed", range(20))
def test_max_margin_directions_equal_the_library(evaluate, seed):
    rng = np.random.default_rng(seed)
    n, T = [(1, 5), (2, 3), (3, 3), (2, 5), (3, 4)][seed % 5]
    tokens, scores, labels = rng.standard_normal((n, T, 2)), rng.uniform(-1, 1, (n, T)), rng.choice([-1.0, 1.0], n)
    if seed % 4 == 0:  # Equal tokens, tokens in a line and equal scores.
        tokens, scores = np.round(2 * tokens) / 2, np.round(2 * scores) / 2
    found = directions(evaluate, tokens, scores, labels)
    pages = {tuple(one["selected"]): one for one in found["all"]}
    feasible, optimal = set(), set()
    for selected in itertools.product(range(T), repeat=n):
        solution = attention_svm(tokens, np.array(selected))
        if isinstance(solution, Infeasible):
            continue
        feasible.add(selected)
        page = pages[selected]
        assert np.array(page["weights"]) == pytest.approx(solution.weights, rel=1e-9, abs=1e-9 * solution.norm)
        margins = np.array(page["margins"], dtype=float).reshape(n, T)
        assert margins == pytest.approx(solution.margins, rel=1e-9, abs=1e-9 * solution.norm, nan_ok=True)
        verdict = local_optimality(solution, scores)
        assert page["neighbors"] == verdict.neighbors.ravel().tolist()
        assert page["locallyOptimal"] == verdict.locally_optimal
        low, high = page["cone"]
        angle = np.arctan2(*solution.weights[::-1])
        assert any(low < angle + turn < high for turn in (-2 * np.pi, 0, 2 * np.pi))
        if verdict.locally_optimal:
            optimal.add(selected)
    assert pages.keys() == feasible
    assert {tuple(one["selected"]) for one in found["lmm"]} == optimal


@pytest.mark.parametrize("seed", range(5))
def test_directions_of_joint_training_equal_the_library(evaluate, seed):
    rng = np.random.default_rng(seed)
    tokens, labels = np.stack([rng.standard_normal((3, 2)), np.zeros((3, 2))], axis=1), np.array([1.0, -1.0, 1.0])
    tokens[:, 0] = labels[:, None] * np.abs(tokens[:, 0])
    found = directions(evaluate, tokens, np.zeros((3, 2)), labels, joint=True)
    head = label_svm(tokens[:, 0], labels)
    assert found["head"] == pytest.approx(head.weights, rel=1e-9)
    relaxed = relaxed_svm(tokens, np.zeros(3, dtype=int), head.tight)
    if isinstance(relaxed, Infeasible):
        assert found["relaxed"] is None
    else:
        assert found["relaxed"]["weights"] == pytest.approx(relaxed.weights, rel=1e-9, abs=1e-9)
    assert found["lmm"] == []


def test_tied_optimal_tokens_have_a_direction_for_each_choice(evaluate):
    example = make_example(PRESETS["ext_ties"])
    tokens = np.array([one["tokens"] for one in example["inputs"]])
    scores = np.array([one["scores"] for one in example["inputs"]])
    found = directions(evaluate, tokens, scores, np.ones(2))["gmm"]
    # config/max_margin/shared.yaml derives them by hand.
    assert sorted(one["weights"] for one in found) == pytest.approx(np.array([[-0.6, 0.8], [1.0, 0.0]]), abs=1e-12)


@pytest.mark.parametrize("name", ["fig1a", "fig1b", "fig1c", "fig8", "ext_ties"])
@pytest.mark.parametrize("loss", LOSSES)
def test_regularization_path_equals_the_library(evaluate, name, loss):
    radii = [1, 3, 10, 30]
    problem = ProblemSource.of(PRESETS[name]["problem"]).build()
    library = RegularizationPath(radii=radii, loss=loss).train(problem)["p"][1:, 0, 0, :2]
    inputs = json.dumps(make_example(PRESETS[name])["inputs"])
    page = evaluate(f'[...regularizationPath(makeProblem({inputs}, false), "{loss}", {radii}).p]')
    assert np.array(page).reshape(-1, 2) == pytest.approx(library, abs=1e-4 * radii[-1])


def test_quantities_along_a_path_equal_the_library(evaluate):
    rng = np.random.default_rng(3)
    problem = random_problems(rng, 1, 3, 4, joint=True)
    starts = starts_of(problem, rng)
    path = library_paths(problem, page_settings(), starts, 50)
    inputs = [
        {"tokens": x, "label": y} for x, y in zip(problem.tokens[0].tolist(), problem.labels[0].tolist(), strict=True)
    ]
    p, v = (path[name][:, 0, 0] for name in ("p", "v"))
    given = json.dumps({"inputs": inputs, "p": p.ravel().tolist(), "v": v.ravel().tolist()})
    page = json.loads(
        evaluate(
            f"""JSON.stringify((({{inputs, p, v}}) => {{
              const path = {{steps: new Int32Array(51), p: Float64Array.from(p), v: Float64Array.from(v), finite: true}}
              const found = curves(makeProblem(inputs, true), "logistic", path, [[1, 2]])
              return Object.fromEntries(Object.entries({{...found, cosines: found.cosines[0]}})
                .map(([name, values]) => [name, [...values]]))
            }})({given}))"""
        )
    )
    logits = np.einsum("itx,rx->rit", problem.tokens[0], p)
    s = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
    scores = np.stack([token_scores(problem.tokens, problem.labels, head[None])[0] for head in v])
    margins = (s * scores).sum(-1)
    assert np.array(page["attention"]).reshape(s.shape) == pytest.approx(s, rel=1e-12)
    assert page["optimalProbability"] == pytest.approx(s[..., 0].mean(-1), rel=1e-12)
    assert page["largestProbability"] == pytest.approx(s.max(-1).mean(-1), rel=1e-12)
    assert page["logisticProbability"] == pytest.approx((1 / (1 + np.exp(-margins))).mean(-1), rel=1e-12)
    assert page["loss"] == pytest.approx(np.log1p(np.exp(-margins)).mean(-1), rel=1e-12)
    assert page["logGap"] == pytest.approx(np.log(np.log1p(np.exp(-margins)).mean(-1)), abs=1e-12)
    assert page["normP"] == pytest.approx(np.linalg.norm(p, axis=1), rel=1e-14)
    assert page["normV"] == pytest.approx(np.linalg.norm(v, axis=1), rel=1e-14)
    assert page["cosines"] == pytest.approx(p @ [1, 2] / np.sqrt(5) / np.linalg.norm(p, axis=1), rel=1e-12)


def test_basins_agree_with_paths(evaluate):
    example = make_example(PRESETS["fig1b"])
    grid = {"x": [-2, 4], "y": [-3, 3], "columns": 7, "rows": 7}
    targets = [[-0.1, 1.0], [1.0, 0.0]]
    given = ", ".join(json.dumps(one) for one in (example["settings"], grid, targets))
    problem = f"makeProblem({json.dumps(example['inputs'])}, false)"
    whole = evaluate(f"[...basins({problem}, {given}, {STEPS})]")
    pieces = evaluate(f"[0, 20, 40].flatMap(first => [...basins({problem}, {given}, {STEPS}, {{first, count: 20}})])")
    assert whole == pieces
    x, y = np.meshgrid(np.linspace(-2, 4, 7), np.linspace(-3, 3, 7))
    starts = {"p": np.stack([x.ravel(), y.ravel()], axis=-1)}
    last = library_paths(
        ProblemSource.of(PRESETS["fig1b"]["problem"]).build(), page_settings(), starts, STEPS
    )["p"][-1, 0]  # fmt: skip
    cosines = last @ np.array(targets).T / np.linalg.norm(targets, axis=1) / np.linalg.norm(last, axis=1)[:, None]
    assert whole == np.where(cosines.max(-1) >= 0.99, cosines.argmax(-1), -1).tolist()
    assert set(whole) == {0, 1}


def test_signed_powers_of_mirror_descent_equal_the_library(evaluate):
    points = [[-0.3, 2.0], [0.0, 1e-200]]
    for exponent in (1.05, 2.0, 2.5, 10.0):
        page = [evaluate(f"{point}.map(x => signedPower(x, {exponent} - 1))") for point in points]
        assert np.array(page) == pytest.approx(signed_power(np.array(points), exponent - 1), rel=1e-14)

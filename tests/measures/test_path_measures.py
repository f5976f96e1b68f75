"""Measures of regularization paths, on small hand-made runs."""

import numpy as np
import pytest

from attention_dynamics.measures.angle_from_start import AngleFromStart
from attention_dynamics.measures.solution_distance import SolutionDistance
from attention_dynamics.run import Run


def run(p, **references):
    """Return a run with these points, (records, problems, starts, d), and references: name -> weights (problems, d)."""
    tables = {}
    for name, weights in references.items():
        weights = np.array(weights, dtype=float)
        norm = np.linalg.norm(weights, axis=-1)
        tables[name] = {"parameter": np.array("p"), "weights": weights, "norm": norm, "feasible": np.isfinite(norm)}
    p = np.array(p, dtype=float)
    return Run(training=None, problem=None, trajectory={"step": np.arange(len(p)), "p": p}, references=tables)


def test_angle_from_start_matches_definition():
    # Two problems, two starts each.
    start = [[[1, 0], [0, 2]], [[3, 0], [-1, 0]]]
    later = [[[5, 5], [0, 9]], [[0, -4], [7, 0]]]
    series = AngleFromStart().measure(run([start, later]))
    assert set(series) == set(AngleFromStart.series)
    np.testing.assert_allclose(series["angle_from_start"], [[[0, 0], [0, 0]], [[45, 0], [90, 180]]], atol=1e-12)


def test_angle_from_start_is_precise_for_small_angles():
    small = 1e-11
    series = AngleFromStart().measure(run([[[[2, 0]]], [[[3, 3 * small]]]]))
    assert series["angle_from_start"][1, 0, 0] == pytest.approx(np.degrees(small), rel=1e-4)


def test_angle_from_start_of_zero_vector_is_refused():
    for p in ([[[[0, 0]]], [[[1, 0]]]], [[[[1, 0]]], [[[0, 0]]]]):
        with pytest.raises(ValueError, match="angle_from_start needs p to have a direction"):
            AngleFromStart().measure(run(p))


def test_distance_is_to_nearest_solution():
    # Solutions of norm 2; the points are scaled to that norm.
    p = [[[[0, 0]]], [[[5, 0]]], [[[3, 4]]], [[[0, -7]]]]
    series = SolutionDistance(references=["a", "b"]).measure(run(p, a=[[2, 0]], b=[[0, 2]]))
    assert set(series) == set(SolutionDistance.series)
    expected = [2, 0, np.hypot(1.2, 2 - 1.6), np.hypot(2, 2)]
    np.testing.assert_allclose(series["solution_distance"][:, 0, 0], expected, atol=1e-12)


def test_longer_references_are_not_solutions():
    p = [[[[0, 7]], [[0, 7]]]]
    # In the first problem b is longer, in the second a is; an infeasible one never counts.
    references = {"a": [[1, 0], [3, 0]], "b": [[0, 2], [0, 2]], "c": [[np.nan, np.nan], [np.nan, np.nan]]}
    series = SolutionDistance(references=["a", "b", "c"]).measure(run(p, **references))
    np.testing.assert_allclose(series["solution_distance"][0, :, 0], [np.sqrt(2), 0], atol=1e-12)
    alone = SolutionDistance(references=["b"]).measure(run(p, **references))
    np.testing.assert_allclose(alone["solution_distance"][0, :, 0], [0, 0], atol=1e-12)


def test_references_without_solution_are_refused():
    one = run([[[[1, 0]]]], a=[[1, 0]], none=[[np.nan, np.nan]])
    with pytest.raises(ValueError, match="every reference is infeasible"):
        SolutionDistance(references=["none"]).measure(one)
    one.references["a"]["parameter"] = np.array("v")
    with pytest.raises(ValueError, match="a is not a direction of p"):
        SolutionDistance(references=["a"]).measure(one)

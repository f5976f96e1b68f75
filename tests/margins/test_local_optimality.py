"""The LMM test and the enumeration of locally-optimal selections, against Definition 2 by brute force."""

import itertools

import numpy as np
import pytest

from attention_dynamics.margins.attention_svm import attention_svm
from attention_dynamics.margins.local_optimality import assumption_b, local_optimality, locally_optimal_directions
from attention_dynamics.margins.max_margin import Infeasible
from attention_dynamics.margins.references import enumerate_lmm
from attention_dynamics.problems.random_sphere import RandomSphere
from helpers.planar_problems import PROBLEMS, SOLUTIONS

# (n, T, d) with T^n <= 64
SIZES = [(1, 2, 2), (1, 8, 2), (2, 4, 3), (2, 8, 2), (3, 4, 2), (6, 2, 2)]


def shortest(A: np.ndarray) -> np.ndarray | None:
    """argmin |p| subject to A p >= 1: the shortest feasible point among those that make some constraints tight."""
    m, d = A.shape
    best = None
    for size in range(1, min(m, d) + 1):
        subsets = np.array(list(itertools.combinations(range(m), size)))
        points = np.linalg.pinv(A[subsets]).sum(-1)
        feasible = points[(points @ A.T >= 1 - 1e-9).all(1)]
        for point in feasible:
            if best is None or point @ point < best @ best:
                best = point
    return best


def by_definition(keys, scores, selected) -> tuple[np.ndarray, float] | None:
    """p_mm of a selection and its smallest score gap to an SVM-neighbor; None where it cannot be separated."""
    others = [(i, t) for i, t in np.ndindex(scores.shape) if t != selected[i]]
    p = shortest(np.array([keys[i, selected[i]] - keys[i, t] for i, t in others]))
    if p is None:
        return None
    neighbors = [(i, t) for i, t in others if abs(p @ (keys[i, selected[i]] - keys[i, t]) - 1) <= 1e-6]
    return p, min((scores[i, selected[i]] - scores[i, t] for i, t in neighbors), default=np.inf)


def random_problems(n, T, d):
    """As many as have sixty selections between them, and at least three."""
    rng = np.random.default_rng((n, T, d))
    for k in range(max(3, 60 // T**n)):
        # Half of the problems have tied scores, where "strictly higher" matters.
        scores = rng.standard_normal((n, T)) if k % 2 else rng.integers(0, 3, (n, T)).astype(float)
        yield rng.standard_normal((n, T, d)), scores


@pytest.mark.parametrize(("n", "T", "d"), SIZES)
def test_selections_are_judged_by_definition_2(n, T, d):
    verdicts = set()
    for keys, scores in random_problems(n, T, d):
        locally_optimal = {}
        for selected in itertools.product(range(T), repeat=n):
            expected, solution = by_definition(keys, scores, selected), attention_svm(keys, np.array(selected))
            assert isinstance(solution, Infeasible) == (expected is None)
            if expected is None:
                continue
            p, gap = expected
            np.testing.assert_allclose(solution.weights, p, atol=1e-8 * np.linalg.norm(p))
            judged = local_optimality(solution, scores)
            assert judged.score_gap == pytest.approx(gap, abs=1e-12)
            assert judged.locally_optimal == (gap > 0)
            verdicts.add(judged.locally_optimal)
            if gap > 0:
                locally_optimal[selected] = p / np.linalg.norm(p)
        found = {tuple(one.selected.tolist()): one.direction for one in locally_optimal_directions(keys, scores)}
        assert list(found) == sorted(locally_optimal)
        for selected, direction in found.items():
            np.testing.assert_allclose(direction, locally_optimal[selected], atol=1e-8)
    assert verdicts == {True, False}


@pytest.mark.parametrize(("name", "selected"), [("1a", [(0,)]), ("1b", [(0,), (1,)]), ("8", [(0, 0), (0, 1)])])
def test_locally_optimal_sets_match_hand_solutions(name, selected):
    found = enumerate_lmm(PROBLEMS[name])
    assert found["selected"].tolist() == [list(one) for one in selected]
    assert found["count"] == len(selected)
    directions = np.array([SOLUTIONS[name, one][0] for one in selected])
    directions = np.pad(directions, [(0, 0), (0, 1)]) / np.linalg.norm(directions, axis=1, keepdims=True)
    np.testing.assert_allclose(found["direction"], directions, atol=1e-12)


def test_selection_without_neighbors_is_locally_optimal():
    problem = PROBLEMS["8"]
    solution = attention_svm(problem.keys[0, :1], np.array([0]))
    alone = local_optimality(solution, problem.scores()[0, :1], tolerance=-1.0)
    assert alone.score_gap == np.inf
    assert alone.locally_optimal


def test_assumption_b_is_detected():
    for scores, optimal, holds in (
        ([[1, 0, 0], [0, 2, 0]], [0, 1], True), ([[1, 0, 0], [3, 4, 3]], [0, 1], True), ([[1, 0]], [0], True),
        ([[1, 0, 0], [1, 2, 0]], [0, 1], False), ([[1, 0, 0], [0, 0, 0]], [0, 1], False),
        ([[1, 0, 0], [0, 2, 0]], [1, 1], False), ([[1, 1]], [0], False),
    ):  # fmt: skip
        assert assumption_b(np.array(scores, dtype=float), np.array(optimal)) is holds


@pytest.mark.slow
def test_enumeration_takes_one_problem_and_a_limited_number_of_selections():
    rng = np.random.default_rng(0)
    keys = rng.standard_normal((3, 12, 40))
    with pytest.raises(ValueError, match=r"12\^3 selections are too many"):
        list(locally_optimal_directions(keys, rng.standard_normal((3, 12))))
    assert next(locally_optimal_directions(keys[:, :10], rng.standard_normal((3, 10))))
    with pytest.raises(ValueError, match="batch of 2"):
        enumerate_lmm(RandomSphere(trials=2, n=1, T=2, d=2, seed=0).build())

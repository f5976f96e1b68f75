"""Performance profiles of tables of costs."""

import numpy as np
import pytest

from attention_dynamics.comparison.profiles import performance_ratios, profile_area, share_within

INF = np.inf
# Three problems, two optimizers.
COSTS = np.array([[10.0, 20.0], [30.0, 30.0], [INF, 5.0]])


# Costs, and ratios to the best on each problem.
RATIOS = [
    (COSTS, [[1, 2], [1, 1], [INF, 1]]),
    ([[7.0, 7.0, 9.0]], [[1, 1, 9 / 7]]),
    ([[INF, 3.0]], [[INF, 1]]),
    ([[np.nan, 3.0]], [[INF, 1]]),
    ([[INF, INF], [1.0, 2.0]], [[INF, INF], [1, 2]]),
    ([[0.0, 0.0, 4.0]], [[1, 1, INF]]),
]


def test_ratios_are_relative_to_best_on_each_problem():
    for costs, ratios in RATIOS:
        assert performance_ratios(np.array(costs)).tolist() == ratios
    with pytest.raises(ValueError, match="not negative"):
        performance_ratios(np.array([[-1.0, 2.0]]))


def test_share_counts_values_up_to_limit_and_none_that_are_infinite():
    shares = [[0, 1 / 3, 1 / 3, 2 / 3, 2 / 3], [1 / 3, 1 / 3, 2 / 3, 1, 1]]
    assert share_within(COSTS, np.array([9, 10, 20, 30, 1e9])).T.tolist() == shares
    assert share_within(np.array([[INF]]), np.array([INF])).tolist() == [[0]]
    assert share_within(np.array([[INF, INF], [1, 2]]), np.array([1e9])).tolist() == [[0.5, 0.5]]


def test_order_of_problems_and_optimizers_is_irrelevant():
    rng = np.random.default_rng(0)
    costs = rng.integers(1, 50, size=(12, 5)).astype(float)
    costs[rng.random(costs.shape) < 0.2] = INF
    rows, columns = rng.permutation(12), rng.permutation(5)
    limits = np.array([1.0, 1.5, 2.0, 4.0, 50.0])
    shares = share_within(performance_ratios(costs), limits)
    shuffled = share_within(performance_ratios(costs[rows][:, columns]), limits)
    assert (shuffled == shares[:, columns]).all()
    areas = profile_area(performance_ratios(costs), 4.0)
    assert np.allclose(profile_area(performance_ratios(costs[rows][:, columns]), 4.0), areas[columns])


def test_area_agrees_with_hand_calculation():
    # Up to the ratio 4 the first profile is 2/3 throughout; the second is 2/3 up to 2, and 1 from there: (2/3 + 2) / 3.
    assert np.allclose(profile_area(performance_ratios(COSTS), 4.0), [2 / 3, 8 / 9])
    ratios = performance_ratios(np.array([[1.0, INF], [3.0, INF]]))
    assert profile_area(ratios, 4.0).tolist() == [1, 0]
    with pytest.raises(ValueError, match="above 1"):
        profile_area(np.ones((1, 1)), 1.0)

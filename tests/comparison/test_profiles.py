"""Performance profiles of tables of costs."""

import numpy as np
import pytest

from attention_dynamics.comparison.profiles import performance_ratios, profile_area, share_within

INF = np.inf
# Three problems, two optimizers.
COSTS = np.array([[10.0, 20.0], [30.0, 30.0], [INF, 5.0]])


def test_ratios_are_relative_to_best_on_each_problem():
    assert performance_ratios(COSTS).tolist() == [[1, 2], [1, 1], [INF, 1]]


def test_ties_share_the_first_place():
    assert performance_ratios(np.array([[7.0, 7.0, 9.0]])).tolist() == [[1, 1, 9 / 7]]


@pytest.mark.parametrize("failure", [INF, np.nan])
def test_failure_has_infinite_ratio(failure):
    assert performance_ratios(np.array([[failure, 3.0]])).tolist() == [[INF, 1]]


def test_no_optimizer_is_best_where_all_fail():
    ratios = performance_ratios(np.array([[INF, INF], [1.0, 2.0]]))
    assert ratios[0].tolist() == [INF, INF]
    assert share_within(ratios, np.array([1e9])).tolist() == [[0.5, 0.5]]


def test_zero_cost_is_best_and_others_are_infinitely_worse():
    assert performance_ratios(np.array([[0.0, 0.0, 4.0]])).tolist() == [[1, 1, INF]]


def test_negative_cost_is_refused():
    with pytest.raises(ValueError, match="not negative"):
        performance_ratios(np.array([[-1.0, 2.0]]))


def test_share_counts_values_up_to_limit():
    assert share_within(COSTS, np.array([9, 10, 20, 30, 1e9])).T.tolist() == [
        [0, 1 / 3, 1 / 3, 2 / 3, 2 / 3],
        [1 / 3, 1 / 3, 2 / 3, 1, 1],
    ]


def test_infinite_value_is_not_within_infinite_limit():
    assert share_within(np.array([[INF]]), np.array([INF])).tolist() == [[0]]


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


def test_area_is_one_for_best_everywhere_and_zero_for_failure_everywhere():
    ratios = performance_ratios(np.array([[1.0, INF], [3.0, INF]]))
    assert profile_area(ratios, 4.0).tolist() == [1, 0]


def test_area_needs_ratio_above_one():
    with pytest.raises(ValueError, match="above 1"):
        profile_area(np.ones((1, 1)), 1.0)

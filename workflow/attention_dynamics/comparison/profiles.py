"""Performance profiles (Dolan and Moré 2002) of costs, (problems, optimizers). Infinite costs are for failures."""

import numpy as np

from attention_dynamics.problems.problem import Array


def performance_ratios(costs: Array) -> Array:
    """Return every cost divided by the least cost of any optimizer on the same problem, (problems, optimizers).

    costs: not negative; infinity or NaN for failures, whose ratio is infinite. Where the least cost is zero, the ratios
    are 1 for optimizers with cost zero and infinite for others. Raises ValueError for a negative cost.
    """
    costs = np.where(np.isnan(costs), np.inf, np.asarray(costs, dtype=float))
    if (costs < 0).any():
        raise ValueError("costs: need numbers that are not negative")
    best = costs.min(1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(np.isinf(costs), np.inf, np.where(costs == best, 1.0, costs / best))


def share_within(values: Array, limits: Array) -> Array:
    """Return the share of problems with a value of at most each limit, (k, optimizers).

    values: (problems, optimizers), costs or ratios; an infinite one is never within a limit. limits: (k,).
    """
    within = (values[None] <= np.asarray(limits)[:, None, None]) & np.isfinite(values)
    share: Array = within.mean(1)
    return share


def profile_area(ratios: Array, largest: float) -> Array:
    """Return the mean height of each profile between the ratios 1 and ``largest``, (optimizers,).

    The height at a ratio r is the share of problems with a ratio of at most r. The mean is 1 for an optimizer that is
    best on every problem, and 0 for one that is never within ``largest``. ratios: (problems, optimizers).
    Raises ValueError unless ``largest`` > 1.
    """
    if not largest > 1:
        raise ValueError(f"largest: need a ratio above 1, got {largest}")
    area: Array = ((largest - np.minimum(ratios, largest)) / (largest - 1)).mean(0)
    return area

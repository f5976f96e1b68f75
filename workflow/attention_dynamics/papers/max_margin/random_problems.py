"""Results of a batch of random problems, one dimension after the other, for the claims about Figs 9 and 10."""

from collections.abc import Iterable
from itertools import pairwise

from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.series.confidence import Estimate
from attention_dynamics.series.statistics import share_above

# Dimensions in which training saturates on almost all problems.
HIGH_DIMENSIONS = (10, 20, 50, 100, 300, 500)


def last_values(run: Run, series: str, dimensions: Iterable[int] | None = None, mask: str | None = None) -> list[Array]:
    """Return the values (problems,) at the last step for each dimension, in increasing order.

    dimensions: by default, all. mask: a series; only problems for which it ends at one count.
    """
    chosen = run[series] if dimensions is None else run[series].where(d=dimensions)
    groups = chosen.group_by("d")
    if mask is not None:
        groups = [group.filter(run[mask]) for group in groups]
    return [group.at(run.last_step) for group in groups]


def shares(run: Run, series: str, dimensions: Iterable[int] | None = None, mask: str | None = None) -> list[Estimate]:
    """Return for each dimension the share of problems for which a series ends at one.

    dimensions, mask: as in ``last_values``.
    """
    return [share_above(values, "trial") for values in last_values(run, series, dimensions, mask)]


def share_of_saturated(run: Run, series: str) -> Estimate:
    """Return the share of the saturated problems of all dimensions for which a series ends at one."""
    return share_above(run[series].filter(run["saturated"]).at(run.last_step), "trial")


def rises(estimates: Iterable[Estimate]) -> list[float]:
    """Return the changes from each estimate to the next."""
    return [later.value - earlier.value for earlier, later in pairwise(estimates)]

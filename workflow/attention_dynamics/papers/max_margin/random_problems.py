"""Results of random problems in several dimensions, for the claims about Figs 9 and 10.

A trial is a unit where all problems of a trial, or of one dimension, count; otherwise the problems that count are.
"""

import numpy as np

from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.series.confidence import Estimate
from attention_dynamics.series.statistics import median, share_above


def last_values(run: Run, series: str, mask: str | None = None) -> list[Array]:
    """Return the values (problems,) at the last step for each dimension, in increasing order.

    mask: a series; only problems for which it ends at one count.
    """
    groups = run[series].group_by("d")
    if mask is not None:
        groups = [group.filter(run[mask]) for group in groups]
    return [group.at(run.last_step) for group in groups]


def by_trial(run: Run, series: str) -> Array:
    """Return the last values as a table, (trials, dimensions), a row for the problems that trial k draws in each."""
    return np.stack(last_values(run, series), axis=1)


def share(run: Run, series: str, mask: str = "saturated") -> Estimate:
    """Return the share of the problems of all dimensions for which a series ends at one.

    mask: a series; only problems for which it ends at one count, and are the units.
    """
    return share_above(run[series].filter(run[mask]).at(run.last_step), f"{mask} problem")


def size_of_negative_gaps(run: Run) -> Estimate:
    """Return the median size of negative score gaps, relative to that of the positive ones in the same dimension.

    The unit is a problem with a negative gap; positive ones are so many that their median is taken as known.
    """
    groups = last_values(run, "score_gap", mask="saturated")
    relative = [-gaps[gaps < 0] / np.median(gaps[gaps > 0]) for gaps in groups if (gaps < 0).any()]
    return median(np.concatenate([*relative, []]), "negative gap")

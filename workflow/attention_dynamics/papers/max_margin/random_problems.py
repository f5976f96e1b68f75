"""Results of random problems in several dimensions, for the claims about Figs 9 and 10.

Trial k draws a problem in each dimension. If a statistic is about all problems of a trial, or of one dimension, its
unit is a trial; if it is about problems that meet a condition, its unit is such a problem.
"""

import numpy as np

from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.series.confidence import Estimate
from attention_dynamics.series.statistics import median, share_above


def last_values(run: Run, series: str, mask: str | None = None) -> list[Array]:
    """Return for each dimension, in increasing order, the values of a series at the last step, (problems,).

    mask: name of a series; problems in which it does not end at one are left out.
    """
    groups = run[series].group_by("d")
    if mask is not None:
        groups = [group.filter(run[mask]) for group in groups]
    return [group.at(run.last_step) for group in groups]


def by_trial(run: Run, series: str) -> Array:
    """Return the last values of a series, (trials, dimensions): row k has the problems that trial k draws."""
    return np.stack(last_values(run, series), axis=1)


def share(run: Run, series: str, mask: str = "saturated") -> Estimate:
    """Return the share of problems in which a series ends at one, over all dimensions together.

    mask: name of a series; problems in which it does not end at one are left out. The others are the units.
    """
    return share_above(run[series].filter(run[mask]).at(run.last_step), f"{mask} problem")


def size_of_negative_gaps(run: Run) -> Estimate:
    """Return the median size of negative score gaps, relative to that of the positive ones in the same dimension.

    The unit is a problem with a negative gap. Positive gaps are so many that their median counts as known exactly.
    """
    groups = last_values(run, "score_gap", mask="saturated")
    relative = [-gaps[gaps < 0] / np.median(gaps[gaps > 0]) for gaps in groups if (gaps < 0).any()]
    return median(np.concatenate([*relative, []]), "negative gap")

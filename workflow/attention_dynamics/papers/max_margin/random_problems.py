"""Results on random problems in several dimensions, for the claims about Figs 9 and 10.

Trial k draws a problem in each dimension. The unit of a statistic over all problems, or over all problems of one
dimension, is a trial. The unit of a statistic over problems that meet a condition is a problem.
"""

import numpy as np

from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.series.confidence import Estimate
from attention_dynamics.series.statistics import median, share_above


def last_values(run: Run, series: str, mask: str | None = None) -> list[Array]:
    """Return the values of a series at the last step, an array (problems,) for each dimension in increasing order.

    mask: name of a series of zeros and ones; problems in which it does not end at one are left out.
    """
    groups = run[series].group_by("d")
    if mask is not None:
        groups = [group.filter(run[mask]) for group in groups]
    return [group.at(run.last_step) for group in groups]


def by_trial(run: Run, series: str) -> Array:
    """Return the last values of a series, (trials, dimensions): row k is for the problems that trial k draws."""
    return np.stack(last_values(run, series), axis=1)


def share(run: Run, series: str, mask: str = "saturated") -> Estimate:
    """Return the share of problems in which a series ends at one, over all dimensions together.

    mask: name of a series of zeros and ones. Problems in which it ends at one are the units; others are left out.
    """
    return share_above(run[series].filter(run[mask]).at(run.last_step), f"{mask} problem")


def size_of_negative_gaps(run: Run) -> Estimate:
    """Return the median size of negative score gaps, each divided by the median positive gap in its dimension.

    The unit is a problem with a negative gap. The medians of the positive gaps, of which there are many, are taken as
    exact.
    """
    groups = last_values(run, "score_gap", mask="saturated")
    relative = [-gaps[gaps < 0] / np.median(gaps[gaps > 0]) for gaps in groups if (gaps < 0).any()]
    return median(np.concatenate([*relative, []]), "negative gap")

"""Results on random problems in several dimensions, for the claims about Figs 9 and 10.

Trial k draws a problem in each dimension. The unit of a statistic over all problems of one dimension, or over numbers
that combine the dimensions of a trial (``by_trial``), is a trial. The unit of any other statistic is a problem.
"""

import numpy as np

from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.series.confidence import Estimate
from attention_dynamics.series.statistics import median, share_above


def last_values(run: Run, series: str, mask: str | None = None) -> list[Array]:
    """Return the values of a series at the last step: an array (problems,) for each dimension, in increasing order.

    mask: name of a series of zeros and ones. Problems for which its last value is not one are left out.
    """
    groups = run[series].group_by("d")
    if mask is not None:
        groups = [group.filter(run[mask]) for group in groups]
    return [group.at(run.last_step) for group in groups]


def by_trial(run: Run, series: str) -> Array:
    """Return the last values of a series, (trials, dimensions). Row k has the problems of trial k."""
    return np.stack(last_values(run, series), axis=1)


def share(run: Run, series: str, mask: str = "saturated") -> Estimate:
    """Return the share of problems for which the last value of ``series`` is one, over all dimensions together.

    mask: name of a series of zeros and ones. Problems for which its last value is not one are left out. The unit is a
    problem.
    """
    return share_above(run[series].filter(run[mask]).at(run.last_step), f"{mask} problem")


def size_of_negative_gaps(run: Run) -> Estimate:
    """Return the median absolute value of the negative score gaps, relative to the positive gaps in the same dimension.

    Each negative gap is divided by the median of the positive gaps in its dimension. Only saturated problems count. The
    unit is a problem with a negative gap. The interval ignores the sampling error of the medians of the positive gaps,
    because there are many positive gaps.
    """
    groups = last_values(run, "score_gap", mask="saturated")
    relative = [-gaps[gaps < 0] / np.median(gaps[gaps > 0]) for gaps in groups if (gaps < 0).any()]
    return median(np.concatenate([*relative, []]), "negative gap")

"""Comparisons of two trainings of a network, by means over their seeds."""

from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.series.confidence import Estimate
from attention_dynamics.series.statistics import largest, mean


def ratio_at_the_end(run: Run, other: Run, series: str) -> float:
    """Return the mean at the last epoch, divided by that of the other run."""
    return _last(run, series) / _last(other, series)


def gap_at_the_end(run: Run, other: Run, series: str) -> float:
    """Return the mean at the last epoch, minus that of the other run."""
    return _last(run, series) - _last(other, series)


def best_accuracy(run: Run) -> float:
    """Return the mean of the test accuracies at the best epoch of each seed."""
    return float(_best(run).mean())


def gap_of_best(run: Run, other: Run) -> Estimate:
    """Return the mean over the seeds of the best test accuracy minus that of the other run with the same seed."""
    return mean(_best(run) - _best(other))


def gap_of_last(run: Run, other: Run) -> Estimate:
    """Return the mean over the seeds of the last test accuracy minus that of the other run with the same seed."""
    return mean(run["test_accuracy"].at(run.last_step) - other["test_accuracy"].at(other.last_step))


def _best(run: Run) -> Array:
    return largest(run["test_accuracy"])


def _last(run: Run, series: str) -> float:
    return float(run[series].at(run.last_step).mean())

"""Comparisons of two trainings of a network, by means over their seeds."""

from attention_dynamics.claims.results import Results
from attention_dynamics.claims.statistics import largest


def ratio_at_the_end(run: Results, other: Results, series: str) -> float:
    """Return the mean at the last epoch, divided by that of the other run."""
    return _last(run, series) / _last(other, series)


def gap_at_the_end(run: Results, other: Results, series: str) -> float:
    """Return the mean at the last epoch, minus that of the other run."""
    return _last(run, series) - _last(other, series)


def best_accuracy(run: Results) -> float:
    """Return the mean of the test accuracies at the best epoch of each seed."""
    return float(largest(run["test_accuracy"]).mean())


def _last(run: Results, series: str) -> float:
    return float(run[series].at(run.last_step).mean())

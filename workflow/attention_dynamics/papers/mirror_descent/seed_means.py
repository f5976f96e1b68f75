"""Comparisons of two trainings of a network with the same seeds."""

import numpy as np

from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.series.confidence import Sample
from attention_dynamics.series.statistics import largest


def over_seeds(run: Run, values: Array) -> Sample:
    """Return values (seeds,) of a run as a sample whose draws are the seeds."""
    return Sample(values, run.training.seeds, "seed")


def at_end(run: Run, series: str) -> Sample:
    """Return the values of a series after the last epoch, for every seed."""
    return over_seeds(run, run[series].at(run.last_step))


def best_accuracy(run: Run) -> Sample:
    """Return the largest test accuracy of all epochs, for every seed."""
    return over_seeds(run, largest(run["test_accuracy"]))


def attention_on_optimal(run: Run) -> Sample:
    """Return the attention on the optimal tokens after the last epoch, mean over the sentences, for every seed."""
    seeds = len(run.training.seeds)
    return over_seeds(run, run["designated_attention"].at(run.last_step).reshape(seeds, -1).mean(1))


def log_ratio(one: Sample, other: Sample) -> Sample:
    """Return ln(one / other) for every seed of two samples with the same seeds."""
    return Sample(np.log(one.values / other.values), one.draws, one.unit)


def gap(one: Sample, other: Sample) -> Sample:
    """Return one - other for every seed of two samples with the same seeds."""
    return Sample(one.values - other.values, one.draws, one.unit)


def at_equal_training_accuracy(run: Run, other: Run, series: str) -> tuple[Sample, Sample]:
    """Return the values of a series in both runs at equal training accuracy, for every seed.

    This accuracy is the lower of the runs' two training accuracies after the last epoch. The values of a run are those
    of the first epoch at which it reaches this accuracy.
    """
    target = np.minimum(*(one["train_accuracy"].at(one.last_step) for one in (run, other)))
    found = []
    for one in (run, other):
        # The training accuracy is NaN before the first epoch, where it must not count as reached.
        reached = np.nan_to_num(one["train_accuracy"].values, nan=-np.inf) >= target
        found.append(over_seeds(one, one[series].values[reached.argmax(0), np.arange(len(target))]))
    return found[0], found[1]

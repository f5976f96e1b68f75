"""Epochs to a loss under the optimizers that Figs 1, 4, 6 and 7 compare.

The runs of a figure are named after its data and the optimizer in lower case: ``mnli_sngd``. Each is a grid of
trainings with several step sizes and seeds. Claims compare the best step size of each optimizer, which has the smallest
training loss at the end.
"""

from typing import NamedTuple

import numpy as np

from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run, Runs


class Pair(NamedTuple):
    """Names of two optimizers that are compared."""

    one: str
    other: str


def run_under(runs: Runs, optimizer: str) -> Run:
    """Return the run of a figure under an optimizer. Raises ValueError where there is none."""
    names = [name for name in runs if name.endswith(f"_{optimizer.lower()}")]
    if len(names) != 1:
        raise ValueError(f"the figure needs exactly one run under {optimizer}; its runs are {', '.join(runs)}")
    return runs[names[0]]


def target_loss(sgd: Run) -> float:
    """Return the training loss halfway between the one before training and SGD's final one, means over the seeds.

    Before training the loss is measured on test data, because the training loss is a mean over the batches of an epoch.
    """
    return float(sgd["best_test_loss"].at(0).mean() + sgd["best_train_loss"].at(sgd.last_step).mean()) / 2


def epochs_to_loss(run: Run, target: float) -> Array:
    """Return the epochs until the training loss is ``target``, for each seed, interpolated between epochs.

    Infinity where no epoch reaches it.
    """
    losses = np.vstack([run["best_test_loss"].at(0), run["best_train_loss"].values[1:]])
    steps, epochs = run["best_train_loss"].steps, np.full(losses.shape[1], np.inf)
    for seed, loss in enumerate(losses.T):
        if (reached := loss <= target).any():
            k = max(int(reached.argmax()), 1)
            share = np.clip((loss[k - 1] - target) / (loss[k - 1] - loss[k]), 0, 1) if np.isfinite(loss[k - 1]) else 1
            epochs[seed] = steps[k - 1] + share * (steps[k] - steps[k - 1])
    return epochs


def ratio_of_epochs(runs: Runs, pair: Pair) -> float:
    """Return the epochs that one optimizer needs to SGD's target loss over those of another, medians over the seeds.

    Infinity where the median seed of the first does not reach it, zero where that of the second alone does not, and
    NaN, which meets no expectation, where neither does.
    """
    target = target_loss(run_under(runs, "SGD"))
    one, other = (np.median(epochs_to_loss(run_under(runs, name), target)) for name in pair)
    if np.isinf(one) and np.isinf(other):
        return np.nan
    return float(one / other)

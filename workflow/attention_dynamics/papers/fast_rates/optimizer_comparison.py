"""Optimizers that Figs 1, 4, 6 and 7 compare, and the claims that these figures share.

The runs of a figure are named after its data and the optimizer in lower case: ``mnli_sngd``. Each is a grid of
trainings with several step sizes and seeds. Claims compare the best step size of each optimizer, which has the smallest
training loss at the end.
"""

from typing import NamedTuple

import numpy as np
import scipy  # Its parts are loaded on first use.

from attention_dynamics.claims.claim import CHOSEN, FULL_SCALES, Claims, claim
from attention_dynamics.claims.expectation import Check, at_most, check
from attention_dynamics.claims.results import Results, Runs
from attention_dynamics.problems.problem import Array

# Id of a case -> name of the optimizer.
OPTIMIZERS = {"sgd": "SGD", "sngd": "SNGD", "sps": "SPS", "adam": "Adam"}
# Those that the paper says are faster than SGD and like Adam.
NORMALIZED = {"sngd": "SNGD", "sps": "SPS"}

# What "faster" and "like" mean for a ratio of epochs.
FASTER, LIKE = 0.8, 2.0
# Significance level of the test that a network is better than chance.
SIGNIFICANCE = 0.05


class Pair(NamedTuple):
    """Names of two optimizers that are compared."""

    one: str
    other: str


def run_under(runs: Runs, optimizer: str) -> Results:
    """Return the run of a figure under an optimizer. Raises ValueError where there is none."""
    names = [name for name in runs if name.endswith(f"_{optimizer.lower()}")]
    if len(names) != 1:
        raise ValueError(f"the figure needs exactly one run under {optimizer}; its runs are {', '.join(runs)}")
    return runs[names[0]]


def target_loss(sgd: Results) -> float:
    """Return the training loss halfway between the one before training and SGD's final one, means over the seeds.

    Before training the loss is measured on test data, because the training loss is a mean over the batches of an epoch.
    """
    return float(sgd["best_test_loss"].at(0).mean() + sgd["best_train_loss"].at(sgd.last_step).mean()) / 2


def epochs_to_loss(run: Results, target: float) -> Array:
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


def comparison_claims(figure: str, inputs: str) -> Claims:
    """Return claims about a figure whose losses and accuracies our copy of the text lacks: that its networks learn.

    inputs: what the networks classify.
    """

    @claim(
        figure,
        says="The network learns under {case}: p-value of its test accuracy at the end, if it always guessed the most "
        "frequent class, best step size of the grid, median of the seeds",
        cases=OPTIMIZERS,
        basis=CHOSEN,
        source="one-sided binomial test; the significance level is ours",
        scales=FULL_SCALES,
        explanation=f"The accuracy is above chance, but the test {inputs} are too few to tell.",
    )
    def learns(runs: Runs, case: str) -> Check:
        run = run_under(runs, case)
        labels = run.run.problem.test_labels
        chance = np.bincount(labels).max() / len(labels)
        hits = [round(accuracy * len(labels)) for accuracy in run["best_test_accuracy"].at(run.last_step)]
        p_values = [scipy.stats.binomtest(hit, len(labels), chance, "greater").pvalue for hit in hits]
        return check(float(np.median(p_values)), at_most(SIGNIFICANCE))

    return learns

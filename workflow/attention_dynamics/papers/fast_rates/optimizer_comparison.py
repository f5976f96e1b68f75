"""Optimizers that Figs 1, 4, 6 and 7 compare, and the claims that these figures share.

The runs of a figure are named after its data and the optimizer in lower case: ``mnli_sngd``. Each is a grid of
trainings with several step sizes and seeds. Claims compare the best step size of each optimizer, which has the smallest
training loss at the end.
"""

from typing import NamedTuple

import numpy as np
import scipy  # Its parts are loaded on first use.

from attention_dynamics.claims.claim import CHOSEN, FULL_SCALES, Claims, claim
from attention_dynamics.claims.expectation import REPORTED, Check, at_most, check
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


PAIRS = {
    "sngd_sgd": Pair("SNGD", "SGD"),
    "sps_sgd": Pair("SPS", "SGD"),
    "sngd_adam": Pair("SNGD", "Adam"),
    "sps_adam": Pair("SPS", "Adam"),
}


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


def comparison_claims(figure: str, early: tuple[int, int], inputs: str) -> Claims:
    """Return claims about a figure for which our copy of the text gives no numbers.

    early: the epochs before the last at which losses and accuracies are compared. inputs: what the networks classify.
    """
    when = "after {} and {} epochs and at the end".format(*early)

    def epochs(run: Results) -> list[int]:
        return [*early, run.last_step]

    def means(run: Results, series: str, at: list[int]) -> Array:
        return np.array([run[series].at(epoch).mean() for epoch in at])

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

    @claim(
        figure,
        says=f"Training loss under {{case.one}} over that under {{case.other}}, smallest of each grid {when}; below 1, "
        "{case.one} leads",
        cases=PAIRS,
        basis=CHOSEN,
        source="the text at hand gives no losses; the epochs are ours",
        scales=FULL_SCALES,
    )
    def lead(runs: Runs, case: Pair) -> Check:
        one, other = (run_under(runs, name) for name in case)
        at = epochs(one)
        return check(means(one, "least_train_loss", at) / means(other, "least_train_loss", at), REPORTED)

    @claim(
        figure,
        says=f"Test accuracy under {{case}} minus that under SGD, best step size of each grid, {when}",
        cases=NORMALIZED,
        basis=CHOSEN,
        source="the text at hand gives no accuracies; the epochs are ours",
        scales=FULL_SCALES,
    )
    def accuracy(runs: Runs, case: str) -> Check:
        own, of_sgd = (run_under(runs, name) for name in (case, "SGD"))
        at = epochs(own)
        return check(means(own, "best_test_accuracy", at) - means(of_sgd, "best_test_accuracy", at), REPORTED)

    @claim(
        figure,
        says="Sensitivity to the step size under {case}: largest training loss of the grid over smallest at the end, "
        "infinite where a training diverges",
        cases=OPTIMIZERS,
        basis=CHOSEN,
        source="the grids of step sizes are ours",
        scales=FULL_SCALES,
    )
    def spread(runs: Runs, case: str) -> Check:
        run = run_under(runs, case)
        return check(means(run, "worst_over_best", [run.last_step]), REPORTED)

    return Claims([*learns, *lead, *accuracy, *spread])

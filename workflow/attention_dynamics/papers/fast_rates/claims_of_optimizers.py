"""Optimizers and thresholds of the claims about Figs 1, 4, 6 and 7, and the claims that these figures share."""

import numpy as np
import scipy  # Its parts are loaded on first use.

from attention_dynamics.claims.claim import CHOSEN, FULL_SCALES, Claims, claim
from attention_dynamics.claims.expectation import Check, at_most, check
from attention_dynamics.papers.fast_rates.optimizer_comparison import run_under
from attention_dynamics.run import Runs

# Id of a case -> name of the optimizer.
OPTIMIZERS = {"sgd": "SGD", "sngd": "SNGD", "sps": "SPS", "adam": "Adam"}
# Those that the paper says are faster than SGD and like Adam.
NORMALIZED = {"sngd": "SNGD", "sps": "SPS"}

# Significance level of the test that a network is better than chance.
SIGNIFICANCE = 0.05


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
        labels = run.problem.test_labels
        chance = np.bincount(labels).max() / len(labels)
        hits = [round(accuracy * len(labels)) for accuracy in run["best_test_accuracy"].at(run.last_step)]
        p_values = [scipy.stats.binomtest(hit, len(labels), chance, "greater").pvalue for hit in hits]
        return check(float(np.median(p_values)), at_most(SIGNIFICANCE))

    return learns

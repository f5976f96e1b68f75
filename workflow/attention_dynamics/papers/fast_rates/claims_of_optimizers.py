"""Names of the optimizers in claims about Figs 1, 4, 6 and 7, and the claims that these figures share."""

import numpy as np

from attention_dynamics.claims.claim import CHOSEN, FULL_SCALES, Claims, claim
from attention_dynamics.claims.expectation import Check, at_least, check
from attention_dynamics.papers.fast_rates.optimizer_comparison import run_under
from attention_dynamics.run import Runs
from attention_dynamics.series.confidence import Sample, estimate_accuracy

# Identifier of the case, and last part of the name of the run -> name of the optimizer.
OPTIMIZERS = {"sgd": "SGD", "sngd": "SNGD", "sps": "SPS", "adam": "Adam"}
# The optimizers that the paper calls faster than SGD and similar to Adam.
NORMALIZED = {"sngd": "SNGD", "sps": "SPS"}


def comparison_claims(figure: str, inputs: str) -> Claims:
    """Return the claims that the networks of a figure learn, one for each optimizer.

    Losses and accuracies are not compared with the paper, because our copy of the text lacks its numbers.
    inputs: noun for what the networks classify, such as "images".
    """

    @claim(
        figure,
        says="The network learns under {case}: mean test accuracy of the seeds at the end, best step size of the grid, "
        "against the share of the most frequent class",
        cases=OPTIMIZERS,
        basis=CHOSEN,
        source=f"whether networks learn at all; seeds and test {inputs} are both taken as drawn at random",
        scales=FULL_SCALES,
    )
    def learns(runs: Runs, case: str) -> Check:
        run = run_under(runs, case)
        labels = run.problem.test_labels
        accuracies = Sample.of(run["best_test_accuracy"].at(run.last_step), "compared seed")
        return check(estimate_accuracy(accuracies, len(labels)), at_least(np.bincount(labels).max() / len(labels)))

    return learns

"""Names of the optimizers in claims about Figs 1, 4, 6 and 7, and the claims that these figures share."""

import numpy as np

from attention_dynamics.claims.claim import CHOSEN, FULL_SCALES, Claims, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check, check_cases
from attention_dynamics.papers.fast_rates.optimizer_comparison import (
    log_ratio_of_epochs,
    log_ratio_of_losses,
    run_under,
)
from attention_dynamics.run import Runs
from attention_dynamics.series.confidence import Sample, estimate_accuracy

# Identifier of the case, and last part of the name of the run -> name of the optimizer.
OPTIMIZERS = {"sgd": "SGD", "sngd": "SNGD", "sps": "SPS", "adam": "Adam"}
# The optimizers that the paper calls faster than SGD and similar to Adam.
NORMALIZED = ("SNGD", "SPS")
# End of what each claim that compares SNGD and SPS says: how step sizes were chosen, and what a mean is over.
STEP_SIZE_RULE = "best step size of each grid, chosen on other seeds, means over SNGD and SPS"


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


def speed_claims(figure: str, data: str, source: str, statement: str = "") -> tuple[Claims, Claims]:
    """Return the claims of a figure that SNGD and SPS need fewer epochs than SGD, and that their mean loss is lower.

    data: how data and network differ from the published ones. source, statement: as in ``Claim``.
    """

    @claim(
        figure,
        statement=statement,
        says="SNGD and SPS need fewer epochs than SGD to SGD's mean final training loss: ln of the ratio for each "
        f"seed, all epochs where a seed does not reach that loss; {STEP_SIZE_RULE} ({data})",
        basis=CHOSEN,
        source=source,
        scales=FULL_SCALES,
    )
    def faster(runs: Runs) -> Check:
        return check_cases({name: log_ratio_of_epochs(runs, name) for name in NORMALIZED}, at_most(0))

    @claim(
        figure,
        statement=statement,
        says="SNGD and SPS have a lower training loss than SGD, mean over all epochs: ln of the ratio; "
        f"{STEP_SIZE_RULE} ({data})",
        basis=CHOSEN,
        source=source,
        scales=FULL_SCALES,
    )
    def lower_loss_on_average(runs: Runs) -> Check:
        return check_cases({name: log_ratio_of_losses(runs, name) for name in NORMALIZED}, at_most(0))

    return faster, lower_loss_on_average

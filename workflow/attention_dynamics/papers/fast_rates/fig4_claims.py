"""Claims about Fig 4: fine-tuning BERT to classify texts."""

from attention_dynamics.claims.claim import CHOSEN, FULL_SCALES, claim
from attention_dynamics.claims.expectation import Check, at_most, check_cases
from attention_dynamics.papers.fast_rates.claims_of_optimizers import NORMALIZED, comparison_claims
from attention_dynamics.papers.fast_rates.optimizer_comparison import log_ratio_of_epochs, log_ratio_of_losses
from attention_dynamics.run import Runs

DATA = (
    "with data=embedded, Python's documentation stands in for Civil Comments; below the scale paper, "
    "a small network for BERT"
)
CHOICE = "best step size of each grid, chosen on other seeds, means over SNGD and SPS"


# The claims repeat claims about Fig 1. They cite no statement, because the caption of Fig 4 says nothing about speed.
@claim(
    "fig4",
    says="SNGD and SPS need fewer epochs than SGD to SGD's mean final training loss: ln of the ratio for each seed, "
    f"all epochs where a seed does not reach that loss; {CHOICE} ({DATA})",
    basis=CHOSEN,
    source="as for Fig 1",
    scales=FULL_SCALES,
)
def faster(runs: Runs) -> Check:
    return check_cases({name: log_ratio_of_epochs(runs, name) for name in NORMALIZED.values()}, at_most(0))


@claim(
    "fig4",
    says=f"SNGD and SPS have a lower training loss than SGD, mean over all epochs: ln of the ratio; {CHOICE} ({DATA})",
    basis=CHOSEN,
    source="as for Fig 1",
    scales=FULL_SCALES,
)
def lower_loss_on_average(runs: Runs) -> Check:
    return check_cases({name: log_ratio_of_losses(runs, name) for name in NORMALIZED.values()}, at_most(0))


comparison = comparison_claims("fig4", inputs="texts")

"""Claims about Fig 1: fine-tuning BERT on natural-language inference."""

from attention_dynamics.claims.claim import CHOSEN, FULL_SCALES, claim
from attention_dynamics.claims.expectation import Check, at_most, check_cases
from attention_dynamics.papers.fast_rates.claims_of_optimizers import NORMALIZED, comparison_claims
from attention_dynamics.papers.fast_rates.optimizer_comparison import (
    further_from_adam,
    log_ratio_of_epochs,
    log_ratio_of_losses,
)
from attention_dynamics.run import Runs

DATA = "with data=embedded, generated sentences stand in for MNLI; below the scale paper, another network for BERT"
CHOICE = "best step size of each grid, chosen on other seeds, means over SNGD and SPS"
CAPTION = "caption of Fig 1; which loss, and until when, is our reading"


@claim(
    "fig1",
    statement="fig1-faster-like-adam",
    says="SNGD and SPS need fewer epochs than SGD to SGD's mean final training loss: ln of the ratio for each seed, "
    f"all epochs where a seed does not reach that loss; {CHOICE} ({DATA})",
    basis=CHOSEN,
    source=CAPTION,
    scales=FULL_SCALES,
)
def faster(runs: Runs) -> Check:
    return check_cases({name: log_ratio_of_epochs(runs, name) for name in NORMALIZED.values()}, at_most(0))


@claim(
    "fig1",
    statement="fig1-faster-like-adam",
    says=f"SNGD and SPS have a lower training loss than SGD, mean over all epochs: ln of the ratio; {CHOICE} ({DATA})",
    basis=CHOSEN,
    source=CAPTION,
    scales=FULL_SCALES,
)
def lower_loss_on_average(runs: Runs) -> Check:
    return check_cases({name: log_ratio_of_losses(runs, name) for name in NORMALIZED.values()}, at_most(0))


@claim(
    "fig1",
    statement="fig1-faster-like-adam",
    says="SNGD and SPS are nearer to Adam than SGD is: difference of |ln| of the ratios of the mean training losses "
    f"over all epochs; {CHOICE} ({DATA})",
    basis=CHOSEN,
    source="caption of Fig 1; that 'resembling' means nearer than SGD is our reading",
    scales=FULL_SCALES,
)
def nearer_to_adam(runs: Runs) -> Check:
    return check_cases({name: further_from_adam(runs, name) for name in NORMALIZED.values()}, at_most(0))


comparison = comparison_claims("fig1", inputs="texts")

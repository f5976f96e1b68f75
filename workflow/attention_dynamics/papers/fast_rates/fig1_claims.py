"""Claims about Fig 1: fine-tuning BERT on natural-language inference."""

from attention_dynamics.claims.claim import CHOSEN, FULL_SCALES, claim
from attention_dynamics.claims.expectation import Check, at_most, check_cases
from attention_dynamics.papers.fast_rates.claims_of_optimizers import (
    NORMALIZED,
    STEP_SIZE_RULE,
    comparison_claims,
    speed_claims,
)
from attention_dynamics.papers.fast_rates.optimizer_comparison import further_from_adam
from attention_dynamics.run import Runs

DATA = "with data=embedded, generated sentences stand in for MNLI; below the scale paper, another network for BERT"

faster, lower_loss_on_average = speed_claims(
    "fig1",
    data=DATA,
    source="caption of Fig 1; which loss, and until when, is our reading",
    statement="fig1-faster-like-adam",
)


@claim(
    statement="fig1-faster-like-adam",
    says="SNGD and SPS are nearer to Adam than SGD is: difference of |ln| of the ratios of the mean training losses "
    f"over all epochs; {STEP_SIZE_RULE} ({DATA})",
    basis=CHOSEN,
    source="caption of Fig 1; that 'resembling' means nearer than SGD is our reading",
    scales=FULL_SCALES,
)
def nearer_to_adam(runs: Runs) -> Check:
    return check_cases({name: further_from_adam(runs, name) for name in NORMALIZED}, at_most(0))


comparison = comparison_claims("fig1", inputs="texts")

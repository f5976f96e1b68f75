"""Claims about Fig 1: fine-tuning BERT on natural-language inference."""

from attention_dynamics.claims.claim import FULL_SCALES, PAPER, claim
from attention_dynamics.claims.expectation import Check, at_most, check, near
from attention_dynamics.papers.fast_rates.claims_of_optimizers import FASTER, LIKE, NORMALIZED, comparison_claims
from attention_dynamics.papers.fast_rates.optimizer_comparison import Pair, ratio_of_epochs
from attention_dynamics.run import Runs

TARGET = "epochs until the training loss is halfway between that before training and SGD's at the end"


@claim(
    "fig1",
    says=f"{{case}} trains faster than SGD: {TARGET}, over those of SGD, best step size of each grid, medians of the "
    "seeds",
    cases=NORMALIZED,
    basis=PAPER,
    source="caption of Fig 1: 'SNGD and SPS, employing adaptive step-size rules, demonstrate significantly faster "
    "training'; the loss is ours, and so is the ratio that counts as faster, chosen after seeing losses at the end",
    scales=FULL_SCALES,
    explanation="SGD with the best step size of its grid is nearly as fast: at laptop scale SNGD needs 0.72 and SPS "
    "0.94 of its epochs, where at most 0.8 counts as faster. On 4000 pairs of MNLI (`benchmarks/real_data.md`) the "
    "losses of SNGD and SPS at the end were 1.0002 and 1.0005 of SGD's.",
)
def faster(runs: Runs, case: str) -> Check:
    return check(ratio_of_epochs(runs, Pair(case, "SGD")), at_most(FASTER))


@claim(
    "fig1",
    says=f"{{case}} resembles Adam: {TARGET}, over those of Adam, best step size of each grid, medians of the seeds",
    cases=NORMALIZED,
    basis=PAPER,
    source="caption of Fig 1: SNGD and SPS train 'closely resembling the performance of Adam'; the loss is ours, and "
    "so are the ratios that count as resembling, 0.5 to 2, chosen after seeing losses at the end",
    scales=FULL_SCALES,
    explanation="Adam is faster. On 4000 pairs of MNLI (`benchmarks/real_data.md`) it alone learned: the losses of "
    "SNGD and SPS at the end were 1.29 of Adam's.",
)
def like_adam(runs: Runs, case: str) -> Check:
    middle, half = (LIKE + 1 / LIKE) / 2, (LIKE - 1 / LIKE) / 2
    return check(ratio_of_epochs(runs, Pair(case, "Adam")), near(middle, within=half))


comparison = comparison_claims("fig1", inputs="texts")

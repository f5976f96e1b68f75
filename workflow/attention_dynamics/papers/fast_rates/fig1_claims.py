"""Claims about Fig 1: fine-tuning BERT to infer."""

from attention_dynamics.claims.claim import CHOSEN, FULL_SCALES, PAPER, claim
from attention_dynamics.claims.expectation import REPORTED, Check, at_least, at_most, check
from attention_dynamics.claims.results import Results, Runs
from attention_dynamics.claims.statistics import largest_ratio
from attention_dynamics.papers.fast_rates.optimizer_comparison import NORMALIZED, OPTIMIZERS, PAIRS, Pair, mean_at

# The last of them is the end at every scale but smoke.
EPOCHS = [1, 3, 5]


# At paper scale the weights are published ones.
@claim(
    "fig1",
    says="BERT is pre-trained: loss on masked pieces of the test texts, after the pre-training over that before",
    basis=CHOSEN,
    source="chosen for the stand-in",
    scales=["laptop", "workstation"],
)
def pretrained(pretraining_mnli: Results) -> Check:
    return check(largest_ratio(pretraining_mnli["test_loss"], [0, 10]), at_most(0.8))


@claim(
    "fig1",
    says="{case} with the best step size of the grid: test accuracy after 5 epochs, of which guessing has a third, "
    "mean of three seeds",
    cases=OPTIMIZERS,
    basis=CHOSEN,
    source="chosen for the stand-in",
    scales=["laptop"],
    data=["embedded"],
)
def learns(runs: Runs, case: str) -> Check:
    return check(mean_at(runs[f"mnli_{case.lower()}"]["best_test_accuracy"], [5]), at_least(0.363))


@claim(
    "fig1",
    says="Who leads is reported: smallest training loss of the grid under {case.one} as a share of that under "
    "{case.other}, after 1, 3 and 5 epochs",
    cases=PAIRS,
    basis=PAPER,
    source="Fig 1's text: SNGD and SPS are faster than SGD and like Adam",
    scales=FULL_SCALES,
)
def lead(runs: Runs, case: Pair) -> Check:
    pair = [runs[f"mnli_{name.lower()}"] for name in case]
    one, other = (mean_at(run["least_train_loss"], EPOCHS) for run in pair)
    return check(one / other, REPORTED)


@claim(
    "fig1",
    says="Reported: test accuracy under {case} minus that under SGD, best step sizes, after 1, 3 and 5 epochs",
    cases=NORMALIZED,
    basis=PAPER,
    source="Fig 1's text: SNGD and SPS are faster than SGD",
    scales=FULL_SCALES,
)
def accuracy(runs: Runs, mnli_sgd: Results, case: str) -> Check:
    pair = [runs[f"mnli_{case.lower()}"], mnli_sgd]
    own, of_sgd = (mean_at(run["best_test_accuracy"], EPOCHS) for run in pair)
    return check(own - of_sgd, REPORTED)


@claim(
    "fig1",
    says="Reported: how much hangs on the step size under {case}, largest training loss of the grid over smallest at "
    "the end",
    cases=OPTIMIZERS,
    basis=CHOSEN,
    source="chosen, as the step sizes are",
    scales=FULL_SCALES,
)
def spread(runs: Runs, case: str) -> Check:
    return check(mean_at(runs[f"mnli_{case.lower()}"]["worst_over_best"], EPOCHS[-1:]), REPORTED)

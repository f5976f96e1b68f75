"""Claims about Fig 7: training a vision transformer."""

from attention_dynamics.claims.claim import CHOSEN, FULL_SCALES, PAPER, claim
from attention_dynamics.claims.expectation import REPORTED, Check, at_least, check
from attention_dynamics.claims.results import Results, Runs
from attention_dynamics.papers.fast_rates.optimizer_comparison import NORMALIZED, OPTIMIZERS, PAIRS, Pair, mean_at


def _epochs(run: Results) -> list[int]:
    """Return the numbers of epochs after which optimizers are compared."""
    return [3, 5, run.last_step]


@claim(
    "fig7",
    says="{case} with the best step size of the grid: test accuracy after 8 epochs, mean of three seeds",
    cases=OPTIMIZERS,
    basis=CHOSEN,
    source="chosen for the stand-in",
    scales=["laptop"],
)
def learns(runs: Runs, case: str) -> Check:
    return check(mean_at(runs[f"small_{case.lower()}"]["best_test_accuracy"], [8]), at_least(0.9))


@claim(
    "fig7",
    says="Who leads is reported: smallest training loss of the grid under {case.one} as a share of that under "
    "{case.other}, after 3 and 5 epochs and at the end",
    cases=PAIRS,
    basis=PAPER,
    source="Fig 1's text: SNGD and SPS are faster than SGD and like Adam",
    scales=FULL_SCALES,
)
def lead(runs: Runs, case: Pair) -> Check:
    pair = [runs[f"small_{name.lower()}"] for name in case]
    one, other = (mean_at(run["least_train_loss"], _epochs(run)) for run in pair)
    return check(one / other, REPORTED)


@claim(
    "fig7",
    says="Reported: test accuracy under {case} minus that under SGD, best step sizes, after 3 and 5 epochs and at "
    "the end",
    cases=NORMALIZED,
    basis=PAPER,
    source="Fig 1's text: SNGD and SPS are faster than SGD",
    scales=FULL_SCALES,
)
def accuracy(runs: Runs, small_sgd: Results, case: str) -> Check:
    pair = [runs[f"small_{case.lower()}"], small_sgd]
    own, of_sgd = (mean_at(run["best_test_accuracy"], _epochs(run)) for run in pair)
    return check(own - of_sgd, REPORTED)


@claim(
    "fig7",
    says="Reported: how much hangs on the step size under {case}, largest training loss of the grid over smallest at "
    "the end",
    cases=OPTIMIZERS,
    basis=CHOSEN,
    source="chosen, as the step sizes are",
    scales=FULL_SCALES,
)
def spread(runs: Runs, case: str) -> Check:
    run = runs[f"small_{case.lower()}"]
    return check(mean_at(run["worst_over_best"], [run.last_step]), REPORTED)

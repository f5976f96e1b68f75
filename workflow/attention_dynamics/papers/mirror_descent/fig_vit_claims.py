"""Claims about a vision transformer under Adam and four mirror descents: its test accuracy and its weights."""

from itertools import pairwise

import numpy as np

from attention_dynamics.claims.claim import AUTHORS_CODE, CHOSEN, FULL_SCALES, claim
from attention_dynamics.claims.expectation import REPORTED, Check, at_least, at_most, check, check_cases
from attention_dynamics.papers.mirror_descent.near_zero import share_near_zero
from attention_dynamics.papers.mirror_descent.optimizer_styles import exponent_of
from attention_dynamics.papers.mirror_descent.seed_means import at_end, gap, log_ratio, over_seeds
from attention_dynamics.run import Run, Runs
from attention_dynamics.series.confidence import Sample, difference, estimate_mean

# Fraction of the training after which accuracies are compared: 25 of 1000 epochs in the earlier code's curves.
PUBLISHED_FRACTION = 0.025
MATRICES = {"keys": "k", "queries": "q", "values": "v"}
# Number of classes -> difference between the highest and lowest of the five published accuracies, rounded up.
PUBLISHED_SPREAD = {10: 0.008, 100: 0.01}
ADAM = 0
# Exponent -> sign of the published change of the share of weights near zero. Under l_3 the share falls far more than
# under the others, so that l_3 has a separate claim.
DIRECTIONS = {1.1: 1, 1.75: 1, 2: -1, ADAM: -1}
DATA = "with data=embedded, images of digits stand in for CIFAR-10"
PAIRS = "with data=embedded, pairs of digits stand in for CIFAR-100"
BOTH = "with data=embedded, digits stand in for CIFAR-10 and pairs of digits for CIFAR-100"


def by_exponent(runs: Runs) -> dict[float, Run]:
    """Return the runs of a figure by the exponent of their mirror descent; the key of Adam is ADAM."""
    return {exponent_of(run): run for run in runs.values()}


def label(exponent: float) -> str:
    """Return the name of an optimizer as plain text, for the cases of claims."""
    return f"l_{exponent:g}" if exponent else "Adam"


def near_zero_logarithm(run: Run, matrix: str, record: int = -1) -> Sample:
    """Return ln of the share of a matrix's weights near zero (``share_near_zero``) at a record, for every seed."""
    return over_seeds(run, np.log(share_near_zero(run, matrix)[record]))


def mean_logarithm(run: Run, record: int = -1) -> Sample:
    """Return the mean of ``near_zero_logarithm`` over keys, queries and values, for every seed."""
    return over_seeds(
        run, np.mean([near_zero_logarithm(run, matrix, record).values for matrix in MATRICES.values()], axis=0)
    )


@claim(
    "fig_vit_accuracy",
    statement="picture-vit-accuracy",
    says="l_1.1 mirror descent has the lower test accuracy at first: minus Adam's with the same seed, at the first "
    f"recorded epoch that is at least 2.5 % of the training ({DATA})",
    basis=AUTHORS_CODE,
    source="published curves of the earlier code, one run each, read off by pixel: 0.62 and 0.77 after 25 of 1000 "
    "epochs; learning rates and their decay are those of the newer one",
    scales=FULL_SCALES,
)
def slower_at_first(vit_1_1: Run, vit_adam: Run) -> Check:
    steps = vit_adam.steps
    early = int(steps[(steps >= max(1, PUBLISHED_FRACTION * steps[-1])).argmax()])
    accuracies = [over_seeds(run, run["test_accuracy"].at(early)) for run in (vit_1_1, vit_adam)]
    return check(difference(*accuracies), at_most(0))


@claim(
    "fig_vit_accuracy",
    statement="picture-vit-accuracy",
    says="Test accuracy of l_1.1 mirror descent minus Adam's at the end, with the same seed (published, one run each: "
    f"0.809 and 0.817 in the earlier code, 0.824 and 0.826 in the newer one; {DATA})",
    basis=AUTHORS_CODE,
    source="published curves, read off by pixel, and outputs; nothing at hand says which difference is small",
    scales=FULL_SCALES,
)
def level_at_the_end(vit_1_1: Run, vit_adam: Run) -> Check:
    return check(difference(at_end(vit_1_1, "test_accuracy"), at_end(vit_adam, "test_accuracy")), REPORTED)


@claim(
    "fig_vit_accuracy",
    "fig_vit_accuracy_cifar100",
    statement="output-vit-five-accuracies",
    says="The test accuracies of the five optimizers end close together: the largest minus the smallest with the same "
    f"seed ({BOTH})",
    basis=CHOSEN,
    source="published outputs, one run each, lie within 0.8 points on CIFAR-10 and 1.0 on CIFAR-100",
    scales=FULL_SCALES,
    explanation="Trainings on the stand-ins are short, so that the slower optimizers have not caught up: at its "
    "published learning rate l_1.75 has hardly begun to learn pairs. Nor do a few hundred test images resolve a point.",
)
def end_close_together(runs: Runs) -> Check:
    accuracies = [at_end(run, "test_accuracy") for run in runs.values()]
    spread = np.ptp([one.values for one in accuracies], axis=0)
    classes = next(iter(runs.values())).problem.classes
    return check(
        estimate_mean(Sample(spread, accuracies[0].draws, accuracies[0].unit)), at_most(PUBLISHED_SPREAD[classes])
    )


@claim(
    "fig_vit_accuracy_cifar100",
    statement="output-vit-five-order",
    says="Mirror descent ends above Adam for each of the four exponents: test accuracy minus Adam's with the same "
    f"seed, mean of the four ({PAIRS})",
    basis=CHOSEN,
    source="published outputs, one run each: 0.556, 0.554, 0.551 and 0.553, and 0.547 of Adam",
    scales=FULL_SCALES,
    explanation="Mirror descent starts more slowly than Adam, and the training on pairs of digits is short.",
)
def mirror_above_adam(runs: Runs) -> Check:
    found = by_exponent(runs)
    adam = at_end(found.pop(ADAM), "test_accuracy")
    return check_cases({label(p): gap(at_end(run, "test_accuracy"), adam) for p, run in found.items()}, at_least(0))


@claim(
    "fig_vit_accuracy_cifar100",
    statement="output-vit-five-order",
    says="l_1.1 mirror descent ends highest: its test accuracy minus that of each of the four others with the same "
    f"seed, mean of the four ({PAIRS})",
    basis=CHOSEN,
    source="published outputs, one run each: 0.556, and 0.554, 0.551, 0.553 and 0.547",
    scales=FULL_SCALES,
)
def smallest_exponent_is_highest(runs: Runs) -> Check:
    found = by_exponent(runs)
    first = at_end(found.pop(1.1), "test_accuracy")
    return check_cases({label(p): gap(first, at_end(run, "test_accuracy")) for p, run in found.items()}, at_least(0))


@claim(
    "fig_vit_weights",
    statement="picture-vit-weights",
    says="Mirror descent takes keys, queries and values towards zero and Adam away from it: ln of the share with |w| < "
    "0.005 at the end over that at the start, the negative of it under Adam, mean of the six (published, at the end, "
    f"one run each: 15.0, 15.2, 15.8 % and 7.0, 6.9, 6.6 %, 11.3 % at the start; {DATA})",
    basis=AUTHORS_CODE,
    source="published histograms of the earlier code, read off by pixel, and the published initialization; learning "
    "rates and their decay are those of the newer one",
    scales=FULL_SCALES,
)
def near_zero(vit_1_1: Run, vit_adam: Run) -> Check:
    cases = {}
    for optimizer, run, sign in (("mirror descent", vit_1_1, 1), ("Adam", vit_adam, -1)):
        for name, matrix in MATRICES.items():
            series = f"near_zero_{matrix}"
            change = log_ratio(at_end(run, series), over_seeds(run, run[series].at(0)))
            cases[f"{name} under {optimizer}"] = Sample(sign * change.values, change.draws, change.unit)
    return check_cases(cases, at_least(0))


@claim(
    "fig_vit_weights",
    "fig_vit_weights_cifar100",
    statement="picture-vit-five-weights",
    says="l_1.1 and l_1.75 mirror descent take keys, queries and values towards zero, l_2 and Adam away from it: ln of "
    "the share near zero at the end over that at the start, its negative under l_2 and Adam, mean of the twelve; near "
    f"zero is below the edge of a bin that has a share nearest to 22.6 % below it at the start ({BOTH})",
    basis=CHOSEN,
    source="published histograms, one run each, read off by pixel; 22.6 % are below 0.01 at the published start",
    scales=FULL_SCALES,
)
def towards_or_away_from_zero(runs: Runs) -> Check:
    found, cases = by_exponent(runs), {}
    for exponent, sign in DIRECTIONS.items():
        for name, matrix in MATRICES.items():
            end, start = (near_zero_logarithm(found[exponent], matrix, record) for record in (-1, 0))
            cases[f"{name} under {label(exponent)}"] = Sample(sign * gap(end, start).values, end.draws, end.unit)
    return check_cases(cases, at_least(0))


@claim(
    "fig_vit_weights",
    "fig_vit_weights_cifar100",
    statement="picture-vit-five-weights",
    says="Under l_3 mirror descent the smallest share ends near zero, as above: ln of it over that at "
    "the start, and over those of the four others with the same seed, mean over keys, queries and values, and of the "
    f"five ({BOTH})",
    basis=CHOSEN,
    source="published histograms, one run each, read off by pixel: 4.0 to 8.4 %, and 14.4 % or more of the others",
    scales=FULL_SCALES,
)
def cubic_is_lowest(runs: Runs) -> Check:
    found = by_exponent(runs)
    cubic = found.pop(3)
    end = mean_logarithm(cubic)
    others = {label(p): mean_logarithm(run) for p, run in found.items()}
    cases = {"the start": mean_logarithm(cubic, 0), **others}
    return check_cases({name: gap(end, other) for name, other in cases.items()}, at_most(0))


@claim(
    "fig_vit_weights",
    statement="picture-vit-five-weights",
    says="The share near zero, as above, falls from l_1.75 to l_1.1, l_2, Adam and l_3: ln of the ratio "
    "of neighbors in this order with the same seed, mean over keys, queries and values, and of the four "
    f"({DATA})",
    basis=CHOSEN,
    source="published histograms on CIFAR-10, one run each, read off by pixel",
    scales=FULL_SCALES,
)
def order_of_shares(runs: Runs) -> Check:
    found = by_exponent(runs)
    cases = {
        f"{label(one)} over {label(other)}": gap(mean_logarithm(found[one]), mean_logarithm(found[other]))
        for one, other in pairwise((1.75, 1.1, 2, ADAM, 3))
    }
    return check_cases(cases, at_least(0))


@claim(
    "fig_vit_weights",
    "fig_vit_weights_cifar100",
    statement="output-vit-five-largest",
    says="The largest weight of keys, queries and values is largest under l_1.1 mirror descent: ln of it over that "
    f"under each of the four others with the same seed, mean of the twelve ({BOTH})",
    basis=CHOSEN,
    source="published outputs, one run each: 0.41 to 0.88, and at most 0.32 of the others",
    scales=FULL_SCALES,
)
def smallest_exponent_has_largest(runs: Runs) -> Check:
    found = by_exponent(runs)
    first = found.pop(1.1)
    cases = {
        f"{name} over {label(p)}": log_ratio(*(at_end(one, f"weight_max_{matrix}") for one in (first, run)))
        for p, run in found.items()
        for name, matrix in MATRICES.items()
    }
    return check_cases(cases, at_least(0))

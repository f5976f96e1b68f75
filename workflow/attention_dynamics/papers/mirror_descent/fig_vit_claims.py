"""Claims about a vision transformer under Adam and mirror descent: its test accuracy and its weights."""

from attention_dynamics.claims.claim import AUTHORS_CODE, FULL_SCALES, claim
from attention_dynamics.claims.expectation import REPORTED, Check, at_least, at_most, check, check_cases
from attention_dynamics.papers.mirror_descent.seed_means import at_end, log_ratio, over_seeds
from attention_dynamics.run import Run
from attention_dynamics.series.confidence import Sample, difference

# The published curves are read off after 25 of 1000 epochs.
PUBLISHED_FRACTION = 0.025
MATRICES = {"keys": "k", "queries": "q", "values": "v"}
DATA = "on small images of digits in place of CIFAR-10, unless data=official"


@claim(
    "fig_vit_accuracy",
    statement="picture-vit-accuracy",
    says="l_1.1 mirror descent has the lower test accuracy at first: minus Adam's with the same seed, at the first "
    f"recorded epoch that is at least 2.5 % of the training ({DATA})",
    basis=AUTHORS_CODE,
    source="published curves, one run each, read off by pixel: 0.62 and 0.77 after 25 of 1000 epochs",
    scales=FULL_SCALES,
)
def slower_at_first(vit_mirror: Run, vit_adam: Run) -> Check:
    steps = vit_adam.steps
    early = int(steps[(steps >= max(1, PUBLISHED_FRACTION * steps[-1])).argmax()])
    accuracies = [over_seeds(run, run["test_accuracy"].at(early)) for run in (vit_mirror, vit_adam)]
    return check(difference(*accuracies), at_most(0))


@claim(
    "fig_vit_accuracy",
    statement="picture-vit-accuracy",
    says="Test accuracy of l_1.1 mirror descent minus Adam's at the end, with the same seed (published, one run each: "
    f"0.809 and 0.817; {DATA})",
    basis=AUTHORS_CODE,
    source="published curves, read off by pixel; nothing at hand says which difference is small",
    scales=FULL_SCALES,
)
def level_at_the_end(vit_mirror: Run, vit_adam: Run) -> Check:
    return check(difference(at_end(vit_mirror, "test_accuracy"), at_end(vit_adam, "test_accuracy")), REPORTED)


@claim(
    "fig_vit_weights",
    statement="picture-vit-weights",
    says="Mirror descent takes keys, queries and values towards zero and Adam away from it: ln of the share with |w| < "
    "0.005 at the end over that at the start, the negative of it under Adam, mean of the six (published, at the end, "
    f"one run each: 15.0, 15.2, 15.8 % and 7.0, 6.9, 6.6 %, 11.3 % at the start; {DATA})",
    basis=AUTHORS_CODE,
    source="published histograms, read off by pixel, and the published initialization",
    scales=FULL_SCALES,
)
def near_zero(vit_mirror: Run, vit_adam: Run) -> Check:
    cases = {}
    for label, run, sign in (("mirror descent", vit_mirror, 1), ("Adam", vit_adam, -1)):
        for name, matrix in MATRICES.items():
            series = f"near_zero_{matrix}"
            change = log_ratio(at_end(run, series), over_seeds(run, run[series].at(0)))
            cases[f"{name} under {label}"] = Sample(sign * change.values, change.draws, change.unit)
    return check_cases(cases, at_least(0))

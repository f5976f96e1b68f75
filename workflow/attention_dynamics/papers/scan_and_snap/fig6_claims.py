"""Claims about Fig 6: entropy of attention on distinct tokens, by size of the data and learning rates.

A size such as 1/2 is a number of last tokens and a number of next tokens.
"""

import numpy as np

from attention_dynamics.claims.claim import AUTHORS_CODE, FULL_SCALES, PAPER, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check, near
from attention_dynamics.claims.published import published
from attention_dynamics.claims.results import Results, Runs
from attention_dynamics.claims.statistics import deviation, mean
from attention_dynamics.papers.scan_and_snap.rate_grid import (
    EACH_RATE,
    EACH_RATIO,
    ETA_Z,
    SIZES,
    OneRate,
    OneRatio,
    means_at_rate,
    means_at_ratio,
)
from attention_dynamics.problems.problem import Array

# Here the entropy falls once more: see the claim ``exception``.
EXCEPTION = OneRate("1/2", 2)


@claim(
    "fig6",
    says="{case}: mean entropy for eta_Z = .5, 1, 2, 3 and within each for eta_Y / eta_Z = 1, 2, 5, 10",
    cases=SIZES.keys(),
    basis=AUTHORS_CODE,
    source="data published with the code",
    scales=FULL_SCALES,
)
def means(runs: Runs, case: str) -> Check:
    expected = published(__file__, "fig6_entropy")[f"mean {case}"]
    return check(map(mean, _final_entropies(runs[SIZES[case]])), near(expected, within=0.001))


@claim(
    "fig6",
    says="{case}: their standard deviations over the seeds",
    cases=SIZES.keys(),
    basis=AUTHORS_CODE,
    source="data published with the code",
    scales=FULL_SCALES,
)
def deviations(runs: Runs, case: str) -> Check:
    expected = published(__file__, "fig6_entropy")[f"deviation {case}"]
    return check(map(deviation, _final_entropies(runs[SIZES[case]])), near(expected, within=0.001))


def _final_entropies(run: Results) -> list[Array]:
    """Return the entropies at the end of training, an array over the seeds for each pair of learning rates."""
    return [pair.at(run.last_step) for pair in run["distinct_entropy"].by_start()]


@claim(
    "fig6",
    says="{case.size}, eta_Y / eta_Z = {case.ratio}: mean entropy falls with eta_Z: largest of three differences",
    cases=EACH_RATIO,
    basis=PAPER,
    source="Fig 6, in words",
    scales=FULL_SCALES,
)
def falls(runs: Runs, case: OneRatio) -> Check:
    return check(np.diff(means_at_ratio(runs[SIZES[case.size]], "distinct_entropy", case.ratio)), at_most(0))


@claim(
    "fig6",
    says="{case.size}, eta_Z = {case.eta_Z}: from eta_Y / eta_Z = 2 on, mean entropy rises with it: "
    "smaller of two differences",
    cases={name: part for name, part in EACH_RATE.items() if part != EXCEPTION},
    basis=PAPER,
    source="Fig 6, in words",
    scales=FULL_SCALES,
)
def rises(runs: Runs, case: OneRate) -> Check:
    from_two_on = means_at_rate(runs[SIZES[case.size]], "distinct_entropy", case.eta_Z)[1:]
    return check(np.diff(from_two_on), at_least(0))


@claim(
    "fig6",
    says="1/2, eta_Z = 2: the one that falls, from 5 to 10; differences from eta_Y / eta_Z = 1 to 2 to 5 to 10",
    basis=AUTHORS_CODE,
    source="data published with the code",
    scales=FULL_SCALES,
)
def exception(medium_1: Results) -> Check:
    differences = np.diff(means_at_rate(medium_1, "distinct_entropy", 2))
    return check(differences, near([0.111, 0.124, -0.034], within=0.002))


@claim(
    "fig6",
    says="{case.size}, eta_Z = {case.eta_Z}: mean entropy falls from eta_Y / eta_Z = 1 to 2",
    cases={name: part for name, part in EACH_RATE.items() if part.size != "1/2"},
    basis=PAPER,
    source="Section 8, threshold near 2",
    scales=FULL_SCALES,
)
def smallest_at_two(runs: Runs, case: OneRate) -> Check:
    return check(_from_one_to_two(runs[SIZES[case.size]], case.eta_Z), at_most(0))


@claim(
    "fig6",
    says="1/2, eta_Z = {case}: here it rises, there is no threshold",
    cases=ETA_Z,
    basis=AUTHORS_CODE,
    source="data published with the code",
    scales=FULL_SCALES,
)
def smallest_at_one(medium_1: Results, case: float) -> Check:
    return check(_from_one_to_two(medium_1, case), at_least(0))


def _from_one_to_two(run: Results, eta_Z: float) -> float:
    """Return the change of the mean entropy from eta_Y / eta_Z = 1 to 2."""
    at_one, at_two, *_ = means_at_rate(run, "distinct_entropy", eta_Z)
    return float(at_two - at_one)

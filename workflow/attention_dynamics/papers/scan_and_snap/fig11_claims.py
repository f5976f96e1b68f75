"""Claims about Fig 11: recall of distinct tokens against the threshold on attention, by learning rate of Z.

A size such as 1/2 is a number of last tokens and a number of next tokens. The series ``recall_drop`` is recall at the
threshold .9/M minus that at 1.3/M.
"""

import numpy as np

from attention_dynamics.claims.claim import DERIVED, FULL_SCALES, PAPER, claim
from attention_dynamics.claims.expectation import Check, at_least, check, near
from attention_dynamics.claims.published import published
from attention_dynamics.claims.results import Results, Runs
from attention_dynamics.claims.statistics import mean
from attention_dynamics.papers.scan_and_snap.rate_grid import EACH_RATE, SIZES, OneRate, means_at_rate

COMPUTATION = "independent computation with the published code's data and settings"
# Here recall does not drop more for every larger ratio: see the claim ``exception``.
EXCEPTION = OneRate("1/2", 2)


@claim(
    "fig11",
    says="{case}: recall at nine thresholds for eta_Z = .5, 1, 2, 3 and within each for eta_Y / eta_Z = 1, 2, 5, 10",
    cases=SIZES.keys(),
    basis=DERIVED,
    source=COMPUTATION,
    scales=FULL_SCALES,
)
def curves(runs: Runs, case: str) -> Check:
    run, expected = runs[SIZES[case]], published(__file__, "fig11_recall")[case]
    recalls = [of_seeds.at(run.last_step) for of_seeds in run["recall"].by_start()]
    return check(map(mean, recalls), near(expected, within=0.005))


@claim(
    "fig11",
    says="{case.size}, eta_Z = {case.eta_Z}: the larger eta_Y / eta_Z, the more recall drops from .9/M to 1.3/M: "
    "smallest of three differences",
    cases={name: part for name, part in EACH_RATE.items() if part != EXCEPTION},
    basis=PAPER,
    source="Fig 11, in words",
    scales=FULL_SCALES,
)
def steeper(runs: Runs, case: OneRate) -> Check:
    return check(np.diff(means_at_rate(runs[SIZES[case.size]], "recall_drop", case.eta_Z)), at_least(0))


@claim(
    "fig11",
    says="1/2, eta_Z = 2: the one that does not, from 5 to 10; differences of the drop from eta_Y / eta_Z = 1 to 2 to "
    "5 to 10",
    basis=DERIVED,
    source=COMPUTATION,
    scales=FULL_SCALES,
)
def exception(medium_1: Results) -> Check:
    return check(np.diff(means_at_rate(medium_1, "recall_drop", 2)), near([0.07, 0.12, -0.01], within=0.005))

"""Claims about Fig 12: recall of distinct tokens against the threshold on attention, by ratio of learning rates."""

import numpy as np

from attention_dynamics.claims.claim import FULL_SCALES, PAPER, claim
from attention_dynamics.claims.expectation import Check, at_most, check
from attention_dynamics.claims.results import Runs
from attention_dynamics.papers.scan_and_snap.rate_grid import EACH_RATIO, SIZES, OneRatio, means_at_ratio


@claim(
    "fig12",
    says="{case.size}, eta_Y / eta_Z = {case.ratio}: the larger eta_Z, the less recall drops from .9/M to 1.3/M: "
    "largest of three differences",
    cases=EACH_RATIO,
    basis=PAPER,
    source="Fig 12, in words",
    scales=FULL_SCALES,
)
def flatter(runs: Runs, case: OneRatio) -> Check:
    return check(np.diff(means_at_ratio(runs[SIZES[case.size]], "recall_drop", case.ratio)), at_most(0))

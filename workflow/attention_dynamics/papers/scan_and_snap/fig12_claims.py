"""Claims about Fig 12: recall of distinct tokens against the threshold on attention, by ratio of learning rates."""

import numpy as np

from attention_dynamics.claims.claim import FULL_SCALES, PAPER, claim
from attention_dynamics.claims.expectation import Check, at_most, check
from attention_dynamics.papers.scan_and_snap.rate_grid import RATIO_CASES, RatioCase, means_at_ratio
from attention_dynamics.run import Runs


@claim(
    "fig12",
    says="With {case.size.tokens} and eta_Y / eta_Z = {case.ratio}, recall falls more slowly with the threshold for "
    "larger eta_Z: largest change of the drop in recall, from threshold 0.9/M to 1.3/M, from one eta_Z to the next "
    "larger one",
    cases=RATIO_CASES,
    basis=PAPER,
    source="Appendix G: 'smaller' eta_Y 'and larger' eta_Z 'will result in a sparser self-attention map' and 'a "
    "sparser attention map will result in a slower descent rate of the recall-threshold line'",
    scales=FULL_SCALES,
)
def flatter(runs: Runs, case: RatioCase) -> Check:
    return check(np.diff(means_at_ratio(runs[case.size.run], "recall_drop", case.ratio)), at_most(0))

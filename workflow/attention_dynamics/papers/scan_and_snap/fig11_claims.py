"""Claims about Fig 11: recall of distinct tokens against the threshold on attention, by learning rate of Z.

A size such as 1/2 in an id is a number of query (last) tokens and a number of next tokens, the classes. Recall is the
share of the distinct tokens of a query token to which it gives attention above the threshold. The series
``recall_drop`` is recall at the threshold 0.9/M minus that at 1.3/M.
"""

import numpy as np

from attention_dynamics.claims.claim import FULL_SCALES, PAPER, claim
from attention_dynamics.claims.expectation import Check, at_least, check
from attention_dynamics.papers.scan_and_snap.rate_grid import RATE_CASES, RateCase, means_at_rate
from attention_dynamics.run import Runs


@claim(
    "fig11",
    says="With {case.size.tokens} and eta_Z = {case.eta_Z}, recall falls more slowly with the threshold for smaller "
    "eta_Y: smallest change of the drop in recall, from threshold 0.9/M to 1.3/M, from one eta_Y / eta_Z to the next "
    "larger one",
    cases=RATE_CASES,
    basis=PAPER,
    source="Appendix G: 'smaller' eta_Y 'and larger' eta_Z 'will result in a sparser self-attention map' and 'a "
    "sparser attention map will result in a slower descent rate of the recall-threshold line'",
    scales=FULL_SCALES,
    explanation="The drop in recall shrinks by 0.01 from ratio 5 to 10, where Fig 6's entropy falls too; in the other "
    "fifteen cells it grows with every step of the ratio.",
)
def steeper(runs: Runs, case: RateCase) -> Check:
    return check(np.diff(means_at_rate(runs[case.size.run], "recall_drop", case.eta_Z)), at_least(0))

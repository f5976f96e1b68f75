"""Claims about Fig 10: the distribution of the minimum score gap begins at zero."""

import numpy as np

from attention_dynamics.claims.claim import CHOSEN, FULL_SCALES, claim
from attention_dynamics.claims.expectation import Check, at_most, check
from attention_dynamics.papers.max_margin.random_problems import last_values
from attention_dynamics.run import Run
from attention_dynamics.series.statistics import share_above

# Gaps count as near zero up to this absolute value, the width of the bins of our Fig 9b.
GAP_WIDTH = 0.01


@claim(
    statement="fig10-sharp-transition",
    says="Share of negative gaps among the saturated problems of all dimensions whose gap is at most 0.01 from zero",
    basis=CHOSEN,
    source="Appendix E; a density that is smooth at zero has one half; one third (half as many below zero as above) "
    "and the width are ours, because the bins are lost",
    scales=FULL_SCALES,
)
def sharp_transition(random_small: Run) -> Check:
    gaps = np.concatenate(last_values(random_small, "score_gap", mask="saturated"))
    near_zero = gaps[np.abs(gaps) <= GAP_WIDTH]
    return check(share_above(-near_zero, "small gap", 0.0), at_most(1 / 3))

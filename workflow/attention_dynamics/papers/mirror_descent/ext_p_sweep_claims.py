"""Claims about which of twenty SVMs a path is closest to."""

from attention_dynamics.claims.claim import CHOSEN, FULL_SCALES, claim
from attention_dynamics.claims.expectation import Check, check, equals
from attention_dynamics.run import Run


@claim(
    says="Every path ends closest to the SVM in its own norm, of twenty: share of the runs that select the optimal "
    "tokens, of all data sets, smallest of twenty exponents",
    basis=CHOSEN,
    source="chosen after seeing that 5000 steps are enough",
    scales=FULL_SCALES,
)
def own_norm_is_nearest(sweep: Run) -> Check:
    # The run has one start for each exponent, so that grouping by start is grouping by exponent.
    by_exponent = sweep["own_norm_is_nearest"].filter(sweep["selects_optimal"]).group_by_start()
    return check(min(one.at(sweep.last_step).mean() for one in by_exponent), equals(1))

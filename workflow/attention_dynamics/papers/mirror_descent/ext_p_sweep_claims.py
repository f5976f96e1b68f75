"""Claims about which of twenty SVMs a path is closest to."""

from attention_dynamics.claims.claim import CHOSEN, FULL_SCALES, claim
from attention_dynamics.claims.expectation import Check, check, equals
from attention_dynamics.papers.mirror_descent.abstract import DIRECTION
from attention_dynamics.run import Run
from attention_dynamics.series.statistics import share_above


@claim(
    "ext_p_sweep",
    says="Every path ends closest to the SVM in its own norm, of twenty: for each of twenty exponents, share of the "
    "runs that select the optimal tokens",
    basis=CHOSEN,
    source=f"{DIRECTION}; chosen after seeing that 5000 steps are enough",
    scales=FULL_SCALES,
)
def own_norm_is_nearest(sweep: Run) -> Check:
    # A start for each exponent.
    by_exponent = sweep["own_norm_is_nearest"].filter(sweep["selects_optimal"]).group_by_start()
    return check([share_above(one.at(sweep.last_step)) for one in by_exponent], equals(1))

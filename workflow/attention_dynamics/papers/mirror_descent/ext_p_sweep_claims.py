"""Claims about which of twenty SVMs a path is closest to."""

from attention_dynamics.claims.claim import CHOSEN, FULL_SCALES, claim
from attention_dynamics.claims.expectation import Check, at_least, check, equals
from attention_dynamics.claims.results import Results
from attention_dynamics.claims.statistics import share_above


@claim(
    "ext_p_sweep",
    says="for each exponent: share of the runs that select the optimal tokens in which the SVM in the own norm is the "
    "closest of twenty",
    basis=CHOSEN,
    source="the theorem on the limit direction; that 5000 steps are enough was seen",
    scales=FULL_SCALES,
)
def own_norm_is_nearest(sweep: Results) -> Check:
    # A start for each exponent.
    by_exponent = sweep["own_norm_is_nearest"].among(sweep["selects_optimal"]).by_start()
    return check([share_above(one.at(sweep.last_step)) for one in by_exponent], equals(1))


@claim(
    "ext_p_sweep",
    says="share of runs that select the optimal tokens",
    basis=CHOSEN,
    source="chosen after seeing it",
    scales=FULL_SCALES,
)
def selects_optimal(sweep: Results) -> Check:
    return check(share_above(sweep["selects_optimal"].at(sweep.last_step)), at_least(0.5))

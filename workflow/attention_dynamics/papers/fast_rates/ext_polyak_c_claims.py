"""Claims about the extension of Fig 2 to other constants of the Polyak step."""

from attention_dynamics.claims.claim import DERIVED, FULL_SCALES, claim
from attention_dynamics.claims.expectation import Check, check, near
from attention_dynamics.claims.results import Results
from attention_dynamics.claims.statistics import slope
from attention_dynamics.papers.fast_rates.derivations import POLYAK_GAP

# c of each start.
CONSTANTS = [1, 2, 4]


@claim(
    "ext_polyak_c",
    says="The logarithm of the loss gap L - inf L falls by 1 / c in every Polyak step with c = {case}: its slope "
    "against t from iteration 50 to 500",
    cases=CONSTANTS,
    basis=DERIVED,
    source=POLYAK_GAP,
    scales=FULL_SCALES,
)
def rate(polyak_constants: Results, case: int) -> Check:
    log_gap = polyak_constants["log_gap"].starts(CONSTANTS.index(case))
    return check(slope(log_gap.during(50, 500)), near(-1 / case, within_percent=1))


@claim(
    "ext_polyak_c",
    says="The norm of W grows by |W_mm| / c in every Polyak step with c = {case}: slope of |W| / |W_mm| against t from "
    "iteration 50 to 500",
    cases=CONSTANTS,
    basis=DERIVED,
    source=POLYAK_GAP,
    scales=FULL_SCALES,
)
def norm(polyak_constants: Results, case: int) -> Check:
    scaled_norm = polyak_constants["scaled_norm_w_mm"].starts(CONSTANTS.index(case))
    return check(slope(scaled_norm.during(50, 500)), near(1 / case, within_percent=1))

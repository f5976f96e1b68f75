"""Claims about the extension of Fig 2 to other constants of the Polyak step."""

from attention_dynamics.claims.claim import DERIVED, FULL_SCALES, claim
from attention_dynamics.claims.expectation import Check, check, near
from attention_dynamics.claims.results import Results
from attention_dynamics.claims.statistics import slope

# c of each start.
CONSTANTS = [1, 2, 4]


@claim(
    "ext_polyak_c",
    says="Polyak step with c = {case}: ln(loss gap) falls by 1/c in every iteration of [50, 500]",
    cases=CONSTANTS,
    basis=DERIVED,
    source="definition of the step and of the gap",
    scales=FULL_SCALES,
)
def rate(polyak_constants: Results, case: int) -> Check:
    log_gap = polyak_constants["log_gap"].starts(CONSTANTS.index(case))
    return check(slope(log_gap.during(50, 500)), near(-1 / case, within_percent=1))


@claim(
    "ext_polyak_c",
    says="Polyak step with c = {case}: |W| grows by |W_mm| / c in every iteration of [50, 500]: slope over |W_mm|",
    cases=CONSTANTS,
    basis=DERIVED,
    source="definition of the step and of the gap",
    scales=FULL_SCALES,
)
def norm(polyak_constants: Results, case: int) -> Check:
    scaled_norm = polyak_constants["scaled_norm_w_mm"].starts(CONSTANTS.index(case))
    return check(slope(scaled_norm.during(50, 500)), near(1 / case, within_percent=1))

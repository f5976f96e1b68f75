"""Claims about the extension of Fig 3 to other first steps of joint training."""

from attention_dynamics.claims.claim import CHOSEN, FULL_SCALES, claim
from attention_dynamics.claims.expectation import Check, at_least, check
from attention_dynamics.claims.results import Results

# eta_W of each start.
STEP_SIZES = [1, 3, 5, 10]


@claim(
    "ext_joint_stepsize",
    says="NGD with eta_W = {case}: cosine of W and W_mm after 2000 iterations",
    cases=[1, 3],
    basis=CHOSEN,
    source="Theorem 3",
    scales=FULL_SCALES,
)
def attention_direction(joint_sizes: Results, case: int) -> Check:
    return check(joint_sizes["correlation_w_mm"].starts(STEP_SIZES.index(case)).at(2000), at_least(0.99))


@claim(
    "ext_joint_stepsize",
    says="NGD with eta_W = {case}: cosine of u and u_mm after 2000 iterations",
    cases=[1, 3],
    basis=CHOSEN,
    source="Theorem 4",
    scales=FULL_SCALES,
)
def head_direction(joint_sizes: Results, case: int) -> Check:
    return check(joint_sizes["correlation_u_mm"].starts(STEP_SIZES.index(case)).at(2000), at_least(0.99))

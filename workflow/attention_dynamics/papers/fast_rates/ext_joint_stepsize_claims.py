"""Claims about the extension of Fig 3 to other first steps of joint training."""

from attention_dynamics.claims.claim import CHOSEN, FULL_SCALES, claim
from attention_dynamics.claims.expectation import Check, at_least, check
from attention_dynamics.claims.results import Results

# eta_W of each start.
STEP_SIZES = [1, 3, 5, 10]


@claim(
    "ext_joint_stepsize",
    says="NGD with steps of eta_W = {case} over t + 1 turns W to W_mm when u is trained too: cosine after 2000 "
    "iterations",
    cases=[1, 3],
    basis=CHOSEN,
    source="Theorem 3, 'IB rate of W'; the threshold is ours",
    scales=FULL_SCALES,
)
def attention_direction(joint_sizes: Results, case: int) -> Check:
    return check(joint_sizes["correlation_w_mm"].starts(STEP_SIZES.index(case)).at(2000), at_least(0.99))


@claim(
    "ext_joint_stepsize",
    says="NGD with steps of eta_W = {case} over t + 1 of W turns u to u_mm, the largest-margin head of the optimal "
    "tokens: cosine after 2000 iterations",
    cases=[1, 3],
    basis=CHOSEN,
    source="Theorem 4, 'IB rate of u'; the threshold is ours",
    scales=FULL_SCALES,
)
def head_direction(joint_sizes: Results, case: int) -> Check:
    return check(joint_sizes["correlation_u_mm"].starts(STEP_SIZES.index(case)).at(2000), at_least(0.99))

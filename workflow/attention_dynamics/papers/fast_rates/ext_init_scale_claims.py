"""Claims about the extension of Fig 2 to random initialisation of three sizes."""

from attention_dynamics.claims.claim import CHOSEN, DERIVED, FULL_SCALES, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check, near
from attention_dynamics.claims.results import Results
from attention_dynamics.claims.statistics import slope, smallest

# Norm of W(0) of each start, as ``start_norms`` of the problem.
NORMS = [0, 1, 10]


@claim(
    "ext_init_scale",
    says="NGD from random W(0) of norm {case}: cosine of W and W_mm after 1000 iterations",
    cases=[1, 10],
    basis=CHOSEN,
    source="no stationary points; Theorem 1 itself assumes a small initialisation",
    scales=FULL_SCALES,
)
def global_norm(ngd: Results, case: int) -> Check:
    return check(ngd["correlation_w_mm"].starts(NORMS.index(case)).at(1000), at_least(0.999))


@claim(
    "ext_init_scale",
    says="NGD: the descent direction has inner product at least 1 / (2 B^2) with W_mm at every iterate, "
    "from every start; smallest multiple",
    basis=DERIVED,
    source="derived here, for equal scores of the other tokens",
)
def always_aligned(ngd: Results) -> Check:
    return check(smallest(ngd["alignment_over_bound"].during(0, 999)), at_least(1))


@claim(
    "ext_init_scale",
    says="NGD: |W(t)| is at most eta t + |W(0)| at every iterate, up to rounding",
    basis=DERIVED,
    source="eq. w-norm-org; the triangle inequality, so this checks the engine",
)
def norm_upper_bound(ngd: Results) -> Check:
    return check(smallest(ngd["norm_below_upper"]), at_least(-1e-12))


@claim(
    "ext_init_scale",
    says="NGD: |W(t)| is at least eta t / (2 B^2 |W_mm|) - |W(0)| at every iterate",
    basis=DERIVED,
    source="eq. w-norm-org by name; the constant is derived here",
)
def norm_lower_bound(ngd: Results) -> Check:
    return check(smallest(ngd["norm_above_lower"].during(1, 1000)), at_least(0))


@claim(
    "ext_init_scale",
    says="GD from random W(0) of norm 10: cosine of W and W_mm after 10000 iterations is below 0.99, "
    "since |W| has grown by a logarithm only",
    basis=DERIVED,
    source="follows from the norm growth of GD",
    scales=FULL_SCALES,
)
def gd_does_not_forget(gd: Results) -> Check:
    return check(gd["correlation_w_mm"].starts(NORMS.index(10)).at(10000), at_most(0.99))


@claim(
    "ext_init_scale",
    says="Polyak step: ln(loss gap) falls by 1/c, 0.5, in every iteration of [100, 500], from every start",
    basis=DERIVED,
    source="definition of the step and of the gap",
    scales=FULL_SCALES,
)
def polyak_linear_rate(polyak: Results) -> Check:
    return check(slope(polyak["log_gap"].during(100, 500)), near(-0.5, within_percent=1))

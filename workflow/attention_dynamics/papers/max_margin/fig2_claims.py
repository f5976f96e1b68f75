"""Claims about Fig 2: a cone of starts from which p converges to the locally-optimal direction (Theorem 3)."""

from attention_dynamics.claims.claim import CHOSEN, claim
from attention_dynamics.claims.expectation import Check, at_least, check
from attention_dynamics.claims.results import Results


@claim(
    "fig2",
    says="There is a cone around the LMM direction in which every start of the grid with |p(0)| >= 5 converges to it: "
    "half-angle in degrees",
    basis=CHOSEN,
    source="Theorem 3; that the angle is positive is the theorem's, the threshold of one degree is ours",
)
def cone_exists(basin: Results) -> Check:
    return check(basin["cone_angle"].at(2000), at_least(1))


@claim(
    "fig2",
    says="The starts drawn in the cone converge to the LMM direction",
    basis=CHOSEN,
    source="Theorem 3; threshold as in Fig 1b",
)
def inside_converges(in_cone: Results) -> Check:
    return check(in_cone["correlation_lmm"].at(2000).min(), at_least(0.9999))


@claim(
    "fig2",
    says="Every start of the grid converges to GMM or to LMM (smallest number of a limit; -1 is none)",
    basis=CHOSEN,
    source="observed, not stated by the paper for all starts",
)
def every_start_has_a_limit(basin: Results) -> Check:
    return check(basin["limit"].at(2000).min(), at_least(0))

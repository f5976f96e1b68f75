"""Claims about Fig 2: a cone of starts from which p converges to the locally-optimal direction (Theorem 3)."""

from attention_dynamics.claims.claim import CHOSEN, claim
from attention_dynamics.claims.expectation import Check, at_least, check
from attention_dynamics.run import Run


@claim(
    "fig2",
    says="Around the LMM direction there is a cone from which gradient descent converges to it: half-angle in degrees "
    "of the widest one, over starts on the grid with |p(0)| >= 5",
    basis=CHOSEN,
    source="Section 2.2: 'gradient descent initialized within [the cone] converges in direction'; that there is one "
    "is Theorem 3's, one degree is our threshold",
)
def cone_exists(basin: Run) -> Check:
    return check(basin["cone_angle"].at(basin.last_step), at_least(1))


@claim(
    "fig2",
    says="The starts drawn in the cone converge to the LMM direction: smallest cosine after 2000 steps",
    basis=CHOSEN,
    source="Theorem 3; the threshold is ours, that of Fig 1b",
)
def inside_converges(in_cone: Run) -> Check:
    return check(in_cone["correlation_lmm"].at(2000).min(), at_least(0.9999))

"""Claims about the direction of a single run: selected tokens, and two entries of W along the path."""

from attention_dynamics.claims.claim import CHOSEN, PAPER, claim
from attention_dynamics.claims.expectation import Check, at_most, check, equals
from attention_dynamics.papers.mirror_descent.abstract import DIRECTION
from attention_dynamics.papers.mirror_descent.protocol import EXPONENTS, run_of
from attention_dynamics.run import Runs


@claim(
    "fig_direction",
    says="With p = {case}, W converges in direction to the l_p-AttSVM: directional Bregman divergence at the end (1 "
    "for an unrelated direction)",
    cases=EXPONENTS,
    basis=PAPER,
    source=f"{DIRECTION}; the threshold was chosen after seeing 0.0026 to 0.0052",
)
def converges(runs: Runs, case: float) -> Check:
    run = run_of(runs, "direction", case)
    return check(run["bregman_own"].at(run.last_step), at_most(0.01))


@claim(
    "fig_direction",
    says="The selected tokens are locally optimal, each of a higher score than its neighbors in the l_p-AttSVM: 1 "
    "where they are, for p = 1.75, 2 and 3",
    basis=CHOSEN,
    source="the text at hand does not define local optimality; this is that of Max-margin token selection",
)
def locally_optimal(runs: Runs) -> Check:
    return check([run_of(runs, "direction", p).reference("own", "locally_optimal") for p in EXPONENTS], equals(1))

"""Claims about Fig 2: a cone of starts from which p converges to the locally-optimal direction (Theorem 3)."""

from attention_dynamics.claims.claim import CHOSEN, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check
from attention_dynamics.papers.max_margin.convergence import turning
from attention_dynamics.run import Run


@claim(
    says="Around the LMM direction there is a cone from which normalized steps lead to it: half-angle in degrees of "
    "the widest one, over starts on the grid with |p(0)| >= 5",
    basis=CHOSEN,
    source="Theorem 3 says that there is one, for constant steps; grid, radius and the least angle of 0.5 are ours",
)
def cone_exists(basin: Run) -> Check:
    return check(basin["cone_angle"].at(basin.last_step), at_least(0.5))


@claim(
    statement="theorem-3",
    says="Direction, from three starts in the cone on Fig 1b's data: largest angle to LMM in the last tenth of 2000 "
    "steps over that in the second tenth; with short normalized steps, which follow the path of small constant ones "
    "on another clock (under these the norm grows as ln t, too slowly to see p turn)",
    basis=CHOSEN,
    source="Theorem 3; data, starts and windows are ours",
)
def inside_converges(in_cone: Run) -> Check:
    return check(turning(in_cone["correlation_lmm"], 2000), at_most(1))

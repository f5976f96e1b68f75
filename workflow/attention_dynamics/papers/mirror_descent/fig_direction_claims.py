"""Claims about the direction of a single run: selected tokens, and the way to the l_p-AttSVM."""

from attention_dynamics.claims.claim import CHOSEN, claim
from attention_dynamics.claims.expectation import Check, at_most, check, equals
from attention_dynamics.papers.mirror_descent.protocol import EXPONENTS, run_of
from attention_dynamics.run import Runs

EARLY = 10


@claim(
    statement="picture-direction",
    says="On the data set with seed 1, W turns to the direction of the l_p-AttSVM: directional Bregman divergence at "
    "the end over that after 10 iterations, in published arithmetic, for p = 1.75, 2 and 3",
    basis=CHOSEN,
    source="stored pictures of the published code; 'turns' is read as closer in all entries at the end than after 10 "
    "iterations",
)
def converges(runs: Runs) -> Check:
    ratios = []
    for p in EXPONENTS:
        own = run_of(runs, "direction", p)["bregman_own"]
        ratios += list(own.at(own.steps[-1]) / own.at(EARLY))
    return check(ratios, at_most(1))


@claim(
    says="The selected tokens are locally optimal, each of a higher score than its neighbors in the l_p-AttSVM: 1 "
    "where they are, for p = 1.75, 2 and 3",
    basis=CHOSEN,
    source="the text at hand does not define local optimality; this is that of Max-margin token selection",
)
def locally_optimal(runs: Runs) -> Check:
    return check([run_of(runs, "direction", p).reference("own", "locally_optimal") for p in EXPONENTS], equals(1))

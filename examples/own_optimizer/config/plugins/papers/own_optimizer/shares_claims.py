"""Claims about sign descent on random problems."""

from attention_dynamics.claims.claim import CHOSEN, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check
from attention_dynamics.run import Run
from attention_dynamics.series.confidence import Estimate
from attention_dynamics.series.series import Series
from attention_dynamics.series.statistics import share_above

LAST = 1000


def high(run: Run, name: str) -> list[Series]:
    """Return a series of the problems in each dimension from 10 on."""
    return [part for part in run[name].group_by("d") if part.settings["d"][0] >= 10]


def shares(parts: list[Series]) -> list[Estimate]:
    """Return the share of problems for which each series ends at one."""
    return [share_above(part.at(LAST), "problem") for part in parts]


@claim(
    says="From d = 10 on at least 99 % of the problems are saturated under sign descent, as under normalized gradient "
    "descent",
    basis=CHOSEN,
    source="Max-margin Fig 9a; that it holds for signs is our guess",
    explanation="Steps of constant length in every coordinate end in a cycle in the other problems: at d = 10 the norm "
    "of p is the same after 500 and 1000 steps in all 27 of them. Shorter steps reach saturation, see "
    "short_steps_saturate.",
)
def saturated(sign: Run) -> Check:
    return check(shares(high(sign, "saturated")), at_least(0.99))


@claim(
    says="With steps of 0.1 instead of 1 at least 99 % are saturated from d = 10 on",
    basis=CHOSEN,
    source="measured first on 40 problems per dimension, to explain why saturated fails",
)
def short_steps_saturate(sign_short: Run) -> Check:
    return check(shares(high(sign_short, "saturated")), at_least(0.99))


def share_of_local(run: Run) -> list[Estimate]:
    """Return the share of LMM among the saturated problems of each dimension from 10 on."""
    return shares([part.filter(run["saturated"]) for part in high(run, "locally_optimal")])


@claim(
    says="Normalized gradient descent ends in LMM almost always: share among the saturated, d >= 10",
    basis=CHOSEN,
    source='Max-margin Appendix E ("almost always"); the threshold is ours',
)
def normalized_local(normalized: Run) -> Check:
    return check(share_of_local(normalized), at_least(0.97))


@claim(
    says="Sign descent ends in LMM almost always: share among the saturated, d >= 10",
    basis=CHOSEN,
    source="our guess, with the threshold for normalized gradient descent",
    explanation="LMM is about the neighbors of the Euclidean max-margin direction, which sign descent does not "
    "follow. At d = 10 four of the 73 saturated problems are not LMM.",
)
def sign_local(sign: Run) -> Check:
    return check(share_of_local(sign), at_least(0.97))


def mean_cosines(run: Run) -> list[float]:
    """Return the mean cosine with the max-margin direction over the saturated problems of each dimension from 10 on."""
    parts = [part.filter(run["saturated"]) for part in high(run, "correlation_selected")]
    return [float(part.at(LAST).mean()) for part in parts]


@claim(
    says="Normalized gradient descent finds the max-margin direction of its tokens: mean cosine, d >= 10",
    basis=CHOSEN,
    source="Max-margin Theorem 3; the threshold is ours",
)
def normalized_direction(normalized: Run) -> Check:
    return check(mean_cosines(normalized), at_least(0.99))


@claim(
    says="Sign descent does not, because its geometry is that of the largest coordinate: mean cosine, d >= 10",
    basis=CHOSEN,
    source="steepest descent maximizes the margin in its own norm; the threshold is ours",
)
def sign_direction(sign: Run) -> Check:
    return check(mean_cosines(sign), at_most(0.97))

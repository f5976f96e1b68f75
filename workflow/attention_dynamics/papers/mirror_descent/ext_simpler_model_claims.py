"""Claims about the rate of convergence of attention beside that of a linear classifier with the same solution."""

from attention_dynamics.claims.claim import CHOSEN, FULL_SCALES, PAPER, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check
from attention_dynamics.claims.results import Results
from attention_dynamics.claims.series import Series
from attention_dynamics.claims.statistics import median, slope
from attention_dynamics.papers.mirror_descent.abstract import RATE
from attention_dynamics.papers.mirror_descent.protocol import EXPONENTS, divergence

LATE_STEP = 1000


@claim(
    "ext_simpler_model",
    says="With p = {case}, attention converges at a rate comparable to that of a linear classifier with the same "
    "solution: slope of ln D over ln ln k from 1000 iterations on, D the divergence from the l_p-AttSVM, over that of "
    "the linear classifier, median of the runs that select the optimal tokens",
    cases=EXPONENTS,
    basis=PAPER,
    source=f"{RATE}; comparable: at least half as steep, since a bound on the rate is meant",
    scales=FULL_SCALES,
)
def rate_is_comparable(unnormalized: Results, linear: Results, case: float) -> Check:
    own = [_own(run, unnormalized, case).during(LATE_STEP, linear.last_step).log() for run in (unnormalized, linear)]
    steepness = [slope(one, "log_log") for one in own]
    return check(median(steepness[0] / steepness[1]), at_least(0.5))


@claim(
    "ext_simpler_model",
    says="With p = {case}, attention is behind the linear classifier by less than a factor of five: divergence from "
    "the l_p-AttSVM over that of the linear classifier after 10,000 iterations, median of the runs that select the "
    "optimal tokens",
    cases=EXPONENTS,
    basis=CHOSEN,
    source="chosen after seeing 2.5 to 2.8",
    scales=FULL_SCALES,
)
def behind_by_a_factor(unnormalized: Results, linear: Results, case: float) -> Check:
    ends = [_own(run, unnormalized, case).at(linear.last_step) for run in (unnormalized, linear)]
    return check(median(ends[0] / ends[1]), at_most(5))


def _own(run: Results, attention: Results, p: float) -> Series:
    """Return divergences of the paths with exponent p, where attention selects the optimal tokens."""
    start = EXPONENTS.index(p)
    return divergence(run, p).starts(start).filter(attention["selects_optimal"].starts(start))

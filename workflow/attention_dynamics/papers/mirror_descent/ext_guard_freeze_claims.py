"""Claims about the published guard against division by zero, and about cancellation, apart and together."""

from itertools import product
from typing import NamedTuple

from attention_dynamics.claims.claim import CHOSEN, RECOMPUTED, claim
from attention_dynamics.claims.expectation import Check, at_least, check, equals, near
from attention_dynamics.claims.results import Results, Runs
from attention_dynamics.papers.mirror_descent.protocol import EXPONENTS, run_of
from attention_dynamics.problems.problem import Array

COMPUTATION_SOURCE = "independent computation with the published data and settings"


class Variant(NamedTuple):
    """A family of runs, an exponent, and its name in statements."""

    family: str
    p: float
    what: str


VARIANTS = {
    f"{family}-{p:g}": Variant(family, p, what)
    for (family, what), p in product(
        {
            "exact": "neither guard nor cancellation",
            "guarded": "the guard alone",
            "textbook": "cancellation alone",
        }.items(),
        EXPONENTS,
    )
}
CUBIC = {
    "guarded": Variant("guarded", 3, "the guard alone"),
    "textbook": Variant("textbook", 3, "cancellation alone"),
    "direction": Variant("direction", 3, "the guard together with cancellation"),
}
# At the end of the runs with neither guard nor cancellation.
FIRST_ENTRY = {1.75: -41.85299, 2: -15.77814, 3: -8.53660}
SECOND_ENTRY = {1.75: -4.42295, 2: -2.72210, 3: -3.01641}
DIVERGENCE = {1.75: 4.208e-4, 2: 1.049e-3, 3: 2.611e-3}


@claim(
    "ext_guard_freeze",
    says="With p = {case.p} and {case.what} attention selects the tokens that it selects in published arithmetic: "
    "their numbers in the six inputs, counted from 0",
    cases=VARIANTS,
    basis=RECOMPUTED,
    source=COMPUTATION_SOURCE,
)
def tokens(runs: Runs, case: Variant) -> Check:
    return check(run_of(runs, case.family, case.p).reference("own", "selected"), equals([3, 2, 6, 2, 6, 2]))


@claim(
    "ext_guard_freeze",
    says="With p = {case} and neither guard nor cancellation the path ends where that of an independent computation "
    "does: entry W[1, 2] after the last iteration",
    cases=EXPONENTS,
    basis=RECOMPUTED,
    source=COMPUTATION_SOURCE,
)
def first_entry(runs: Runs, case: float) -> Check:
    return check(_end(run_of(runs, "exact", case), "first_entry"), near(FIRST_ENTRY[case], within=0.001))


@claim(
    "ext_guard_freeze",
    says="With p = {case} and neither guard nor cancellation the path ends where that of an independent computation "
    "does: entry W[3, 4] after the last iteration",
    cases=EXPONENTS,
    basis=RECOMPUTED,
    source=COMPUTATION_SOURCE,
)
def second_entry(runs: Runs, case: float) -> Check:
    return check(_end(run_of(runs, "exact", case), "second_entry"), near(SECOND_ENTRY[case], within=0.001))


@claim(
    "ext_guard_freeze",
    says="With neither guard nor cancellation the path with p = {case} ends close to its SVM: directional Bregman "
    "divergence from the l_p-AttSVM after the last iteration",
    cases=EXPONENTS,
    basis=RECOMPUTED,
    source=COMPUTATION_SOURCE,
)
def divergence(runs: Runs, case: float) -> Check:
    return check(_end(run_of(runs, "exact", case), "bregman_own"), near(DIVERGENCE[case], within_percent=1))


@claim(
    "ext_guard_freeze",
    says="With p = {case}, the guard alone stalls convergence: divergence from the l_p-AttSVM at the end over that "
    "without it",
    cases=[1.75, 2],
    basis=CHOSEN,
    source="a gradient below the guard makes steps shorter than eta; the factor is ours",
)
def guard_freezes(runs: Runs, case: float) -> Check:
    return check(_times_exact(runs, "guarded", case), at_least(2))


@claim(
    "ext_guard_freeze",
    says="With p = {case}, cancellation alone loses the direction: divergence from the l_p-AttSVM at the end over that "
    "without it",
    cases=[1.75, 2],
    basis=CHOSEN,
    source="the textbook gradient is rounding noise in the end, and its steps have full length; the factor is ours",
)
def textbook_loses_direction(runs: Runs, case: float) -> Check:
    return check(_times_exact(runs, "textbook", case), at_least(2))


@claim(
    "ext_guard_freeze",
    says="With p = 3, {case.what} changes nothing, since the gradient stays above rounding: divergence from the "
    "l_p-AttSVM at the end over that with neither",
    cases=CUBIC,
    basis=CHOSEN,
    source="the gradient is above the guard throughout; the tolerance is ours",
)
def not_frozen_3(runs: Runs, case: Variant) -> Check:
    return check(_times_exact(runs, case.family, case.p), near(1, within=0.01))


def _end(run: Results, series: str) -> Array:
    return run[series].at(run.last_step)


def _times_exact(runs: Runs, family: str, p: float) -> Array:
    """Return the divergence at the end, relative to that with neither guard nor cancellation."""
    return _end(run_of(runs, family, p), "bregman_own") / _end(run_of(runs, "exact", p), "bregman_own")

"""Claims about the published guard against division by zero, and about cancellation, apart and together."""

from itertools import product
from typing import NamedTuple

from attention_dynamics.claims.claim import CHOSEN, DERIVED, claim
from attention_dynamics.claims.expectation import Check, at_least, check, equals, near
from attention_dynamics.claims.results import Results, Runs
from attention_dynamics.papers.mirror_descent.protocol import EXPONENTS, run_of
from attention_dynamics.problems.problem import Array

COMPUTED = "independent computation with the published data and settings"


class Variant(NamedTuple):
    """A family of runs, an exponent, and what the statement calls it."""

    family: str
    p: float
    what: str


VARIANTS = {
    f"{family}-{p:g}": Variant(family, p, what)
    for (family, what), p in product(
        {"exact": "neither", "guarded": "guard", "textbook": "cancellation"}.items(), EXPONENTS
    )
}
CUBIC = {
    "guarded": Variant("guarded", 3, "the guard"),
    "textbook": Variant("textbook", 3, "cancellation"),
    "direction": Variant("direction", 3, "both"),
}
# At the end of the runs with neither guard nor cancellation.
FIRST_ENTRY = {1.75: -41.85299, 2: -15.77814, 3: -8.53660}
SECOND_ENTRY = {1.75: -4.42295, 2: -2.72210, 3: -3.01641}
DIVERGENCE = {1.75: 4.208e-4, 2: 1.049e-3, 3: 2.611e-3}


@claim(
    "ext_guard_freeze",
    says="p = {case.p}, {case.what}: the six tokens selected at the end, whose SVM is compared with",
    cases=VARIANTS,
    basis=DERIVED,
    source=COMPUTED,
)
def tokens(runs: Runs, case: Variant) -> Check:
    return check(run_of(runs, case.family, case.p).reference("own", "selected"), equals([3, 2, 6, 2, 6, 2]))


@claim(
    "ext_guard_freeze",
    says="p = {case}, neither guard nor cancellation: W[1, 2] at the end",
    cases=EXPONENTS,
    basis=DERIVED,
    source=COMPUTED,
)
def first_entry(runs: Runs, case: float) -> Check:
    return check(_end(run_of(runs, "exact", case), "first_entry"), near(FIRST_ENTRY[case], within=0.001))


@claim(
    "ext_guard_freeze",
    says="p = {case}, neither guard nor cancellation: W[3, 4] at the end",
    cases=EXPONENTS,
    basis=DERIVED,
    source=COMPUTED,
)
def second_entry(runs: Runs, case: float) -> Check:
    return check(_end(run_of(runs, "exact", case), "second_entry"), near(SECOND_ENTRY[case], within=0.001))


@claim(
    "ext_guard_freeze",
    says="p = {case}, neither guard nor cancellation: divergence at the end",
    cases=EXPONENTS,
    basis=DERIVED,
    source=COMPUTED,
)
def divergence(runs: Runs, case: float) -> Check:
    return check(_end(run_of(runs, "exact", case), "bregman_own"), near(DIVERGENCE[case], within_percent=1))


@claim(
    "ext_guard_freeze",
    says="p = {case}: with the guard alone the divergence at the end is so many times as large",
    cases=[1.75, 2],
    basis=CHOSEN,
    source="division by a gradient below the guard",
)
def guard_freezes(runs: Runs, case: float) -> Check:
    return check(_times_exact(runs, "guarded", case), at_least(2))


@claim(
    "ext_guard_freeze",
    says="p = {case}: with cancellation and without the guard the divergence at the end is so many times as large",
    cases=[1.75, 2],
    basis=CHOSEN,
    source="rounding errors of the textbook gradient, stepped along at full length",
)
def textbook_loses_direction(runs: Runs, case: float) -> Check:
    return check(_times_exact(runs, "textbook", case), at_least(2))


@claim(
    "ext_guard_freeze",
    says="p = 3: the gradient stays larger, so that with {case.what} the divergence at the end is so many times as "
    "large",
    cases=CUBIC,
    basis=CHOSEN,
    source="division by a gradient above the guard",
)
def not_frozen_3(runs: Runs, case: Variant) -> Check:
    return check(_times_exact(runs, case.family, case.p), near(1, within=0.01))


def _end(run: Results, series: str) -> Array:
    return run[series].at(run.last_step)


def _times_exact(runs: Runs, family: str, p: float) -> Array:
    """Return the divergence at the end, relative to that with neither guard nor cancellation."""
    return _end(run_of(runs, family, p), "bregman_own") / _end(run_of(runs, "exact", p), "bregman_own")

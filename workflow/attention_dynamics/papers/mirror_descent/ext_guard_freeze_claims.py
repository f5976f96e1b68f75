"""Claims about cancellation and about the published guard against division by zero, separately and together."""

from typing import NamedTuple

from attention_dynamics.claims.claim import CHOSEN, claim
from attention_dynamics.claims.expectation import Check, at_least, check, near
from attention_dynamics.papers.mirror_descent.protocol import run_of
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Runs


class Variant(NamedTuple):
    """Runs that differ in the exponent only, such as guarded_175, guarded_2 and guarded_3.

    family: beginning of their names, such as "guarded". what: description of these runs in the claim.
    """

    family: str
    what: str


VARIANTS = {
    "guarded": Variant("guarded", "the guard alone"),
    "textbook": Variant("textbook", "cancellation alone"),
    "direction": Variant("direction", "the guard together with cancellation"),
}


@claim(
    says="With p = {case}, the guard alone stalls convergence: divergence from the l_p-AttSVM at the end over that "
    "without it",
    cases=[1.75, 2],
    basis=CHOSEN,
    source="a gradient below the guard makes steps shorter than eta; the factor is ours",
)
def guard_freezes(runs: Runs, case: float) -> Check:
    return check(_times_exact(runs, "guarded", case), at_least(2))


@claim(
    says="With p = {case}, cancellation alone loses the direction: divergence from the l_p-AttSVM at the end over that "
    "without it",
    cases=[1.75, 2],
    basis=CHOSEN,
    source="the textbook gradient is rounding noise in the end, and its steps have full length; the factor is ours",
)
def textbook_loses_direction(runs: Runs, case: float) -> Check:
    return check(_times_exact(runs, "textbook", case), at_least(2))


@claim(
    says="With p = 3, {case.what} changes nothing, since the gradient stays above rounding: divergence from the "
    "l_p-AttSVM at the end over that with neither",
    cases=VARIANTS,
    basis=CHOSEN,
    source="the gradient is above the guard throughout; the tolerance is ours",
)
def not_frozen_3(runs: Runs, case: Variant) -> Check:
    return check(_times_exact(runs, case.family, 3), near(1, within=0.01))


def _times_exact(runs: Runs, family: str, p: float) -> Array:
    """Return the divergence at the end of a run of ``family``, over that of the run without guard and cancellation."""
    ends = [run["bregman_own"].at(run.last_step) for run in (run_of(runs, family, p), run_of(runs, "exact", p))]
    return ends[0] / ends[1]

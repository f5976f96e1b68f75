"""Claims about the direction of a single run: selected tokens, and two entries of W along the path."""

from typing import NamedTuple

from attention_dynamics.claims.claim import PAPER, RECOMPUTED, claim
from attention_dynamics.claims.expectation import Check, at_most, check, equals, near
from attention_dynamics.claims.results import Runs
from attention_dynamics.papers.mirror_descent.abstract import DIRECTION
from attention_dynamics.papers.mirror_descent.protocol import EXPONENTS, run_of

COMPUTATION_SOURCE = "independent computation with the published data and settings"
MATCHING_PATH_SOURCE = (
    f"{COMPUTATION_SOURCE}, whose path lies on that of the stored picture (median distance below a pixel)"
)


class Point(NamedTuple):
    """A point of the path: the iteration, and the entries W[1, 2] and W[3, 4] there."""

    p: float
    step: int
    first: float
    second: float


class End(NamedTuple):
    """The end of a published run: the entries W[1, 2] and W[3, 4], up to ``within``. reason: what decides them."""

    p: float
    first: float
    second: float
    within: float
    reason: str = ""


PATH_POINTS = {
    "1.75": Point(1.75, 200, -2.00073, -0.03349),
    "2": Point(2, 400, -2.56842, -0.32428),
    "3": Point(3, 10000, -5.91820, -2.24571),
}
ROUNDING_NOTE = "; rounding errors decide, hence the tolerance"
ENDS = {
    "1.75": End(1.75, -6.33397, -0.45258, within=0.2, reason=ROUNDING_NOTE),
    "2": End(2, -7.49131, -1.19727, within=0.2, reason=ROUNDING_NOTE),
    "3": End(3, -8.51720, -3.01063, within=0.001),
}


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
    says="With p = {case}, attention selects the tokens of an independent computation: for each of the six inputs the "
    "one with the largest weight at the end, counted from 0",
    cases=EXPONENTS,
    basis=RECOMPUTED,
    source=COMPUTATION_SOURCE,
)
def tokens(runs: Runs, case: float) -> Check:
    return check(run_of(runs, "direction", case).reference("own", "selected"), equals([3, 2, 6, 2, 6, 2]))


@claim(
    "fig_direction",
    says="With p = {case}, the selected tokens are locally optimal, each of a higher score than its neighbors in the "
    "l_p-AttSVM: 1 where they are",
    cases=EXPONENTS,
    basis=RECOMPUTED,
    source=f"{COMPUTATION_SOURCE}, in which they are the tokens of the highest scores; the text at hand does not "
    "define local optimality",
)
def locally_optimal(runs: Runs, case: float) -> Check:
    return check(run_of(runs, "direction", case).reference("own", "locally_optimal"), equals(1))


@claim(
    "fig_direction",
    says="With p = {case.p}, the path passes the published point: entry W[1, 2] after {case.step} iterations",
    cases=PATH_POINTS,
    basis=RECOMPUTED,
    source=MATCHING_PATH_SOURCE,
)
def first_entry(runs: Runs, case: Point) -> Check:
    return check(run_of(runs, "direction", case.p)["first_entry"].at(case.step), near(case.first, within=1e-4))


@claim(
    "fig_direction",
    says="With p = {case.p}, the path passes the published point: entry W[3, 4] after {case.step} iterations",
    cases=PATH_POINTS,
    basis=RECOMPUTED,
    source=MATCHING_PATH_SOURCE,
)
def second_entry(runs: Runs, case: Point) -> Check:
    return check(run_of(runs, "direction", case.p)["second_entry"].at(case.step), near(case.second, within=1e-4))


@claim(
    "fig_direction",
    says="With p = {case.p}, the path ends where the published one does: entry W[1, 2] after the last "
    "iteration{case.reason}",
    cases=ENDS,
    basis=RECOMPUTED,
    source=COMPUTATION_SOURCE,
)
def first_end(runs: Runs, case: End) -> Check:
    run = run_of(runs, "direction", case.p)
    return check(run["first_entry"].at(run.last_step), near(case.first, within=case.within))


@claim(
    "fig_direction",
    says="With p = {case.p}, the path ends where the published one does: entry W[3, 4] after the last "
    "iteration{case.reason}",
    cases=ENDS,
    basis=RECOMPUTED,
    source=COMPUTATION_SOURCE,
)
def second_end(runs: Runs, case: End) -> Check:
    run = run_of(runs, "direction", case.p)
    return check(run["second_entry"].at(run.last_step), near(case.second, within=case.within))

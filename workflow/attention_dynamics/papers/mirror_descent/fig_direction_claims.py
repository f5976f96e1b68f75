"""Claims about the direction of a single run: selected tokens, and two entries of W along the path."""

from typing import NamedTuple

from attention_dynamics.claims.claim import DERIVED, PAPER, claim
from attention_dynamics.claims.expectation import Check, check, equals, near
from attention_dynamics.claims.results import Runs
from attention_dynamics.papers.mirror_descent.protocol import EXPONENTS, run_of

COMPUTED = "independent computation with the published data and settings"
MATCHED = f"{COMPUTED}, which the stored picture matches"


class Point(NamedTuple):
    """A point of the path: the iteration, and the entries W[1, 2] and W[3, 4] there."""

    p: float
    step: int
    first: float
    second: float


class End(NamedTuple):
    """The end of a published run: the entries W[1, 2] and W[3, 4], up to ``within``. why: what decides them."""

    p: float
    first: float
    second: float
    within: float
    why: str = ""


ON_THE_WAY = {
    "1.75": Point(1.75, 200, -2.00073, -0.03349),
    "2": Point(2, 400, -2.56842, -0.32428),
    "3": Point(3, 10000, -5.91820, -2.24571),
}
ENDS = {
    "1.75": End(1.75, -6.33397, -0.45258, within=0.2, why=", where rounding decides"),
    "2": End(2, -7.49131, -1.19727, within=0.2, why=", where rounding decides"),
    "3": End(3, -8.51720, -3.01063, within=0.001),
}


@claim(
    "fig_direction",
    says="p = {case}: the six tokens selected at the end",
    cases=EXPONENTS,
    basis=DERIVED,
    source=COMPUTED,
)
def tokens(runs: Runs, case: float) -> Check:
    return check(run_of(runs, "direction", case).reference("own", "selected"), equals([3, 2, 6, 2, 6, 2]))


@claim(
    "fig_direction",
    says="p = {case}: these tokens are locally optimal",
    cases=EXPONENTS,
    basis=PAPER,
    source="abstract",
)
def locally_optimal(runs: Runs, case: float) -> Check:
    return check(run_of(runs, "direction", case).reference("own", "locally_optimal"), equals(1))


@claim(
    "fig_direction",
    says="p = {case.p}: W[1, 2] after {case.step} iterations",
    cases=ON_THE_WAY,
    basis=DERIVED,
    source=MATCHED,
)
def first_entry(runs: Runs, case: Point) -> Check:
    return check(run_of(runs, "direction", case.p)["first_entry"].at(case.step), near(case.first, within=1e-4))


@claim(
    "fig_direction",
    says="p = {case.p}: W[3, 4] after {case.step} iterations",
    cases=ON_THE_WAY,
    basis=DERIVED,
    source=MATCHED,
)
def second_entry(runs: Runs, case: Point) -> Check:
    return check(run_of(runs, "direction", case.p)["second_entry"].at(case.step), near(case.second, within=1e-4))


@claim(
    "fig_direction",
    says="p = {case.p}: W[1, 2] at the end of the published run{case.why}",
    cases=ENDS,
    basis=DERIVED,
    source=COMPUTED,
)
def first_end(runs: Runs, case: End) -> Check:
    run = run_of(runs, "direction", case.p)
    return check(run["first_entry"].at(run.last_step), near(case.first, within=case.within))


@claim(
    "fig_direction",
    says="p = {case.p}: W[3, 4] at the end of the published run{case.why}",
    cases=ENDS,
    basis=DERIVED,
    source=COMPUTED,
)
def second_end(runs: Runs, case: End) -> Check:
    run = run_of(runs, "direction", case.p)
    return check(run["second_entry"].at(run.last_step), near(case.second, within=case.within))

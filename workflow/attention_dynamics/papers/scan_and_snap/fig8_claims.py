"""Claims about Fig 8: the decoder's logit in steps, h*, and in continuous time, h, for five learning rates."""

from typing import NamedTuple

from attention_dynamics.claims.claim import DERIVED, PAPER, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check, near
from attention_dynamics.claims.results import Runs
from attention_dynamics.claims.statistics import largest, smallest

SOLUTION = "independent solution"
# Sizes M of the vocabulary: the panels.
SIZES = (50, 1000)


class Expected(NamedTuple):
    """h* or h at a time, for the five learning rates."""

    M: int
    t: int
    values: tuple[float, ...]


@claim(
    "fig8",
    says="M = {case.M}: h* at t = {case.t} for the five learning rates",
    cases={
        "50": Expected(50, 79, (0.100609, 0.124238, 0.14826, 0.164098, 0.179045)),
        "1000": Expected(1000, 70, (0.00862569, 0.0101538, 0.0110203, 0.0118005, 0.0125407)),
    },
    basis=DERIVED,
    source=SOLUTION,
)
def h_star(runs: Runs, case: Expected) -> Check:
    return check(runs[f"logit_{case.M}"]["h_star"].at(case.t), near(case.values, within_percent=0.01))


@claim(
    "fig8",
    says="M = {case.M}: h at t = {case.t} for the five learning rates",
    cases={
        "50": Expected(50, 79, (0.100261, 0.123794, 0.14773, 0.163497, 0.178357)),
        "1000": Expected(1000, 70, (0.00859656, 0.0101222, 0.0109857, 0.0117617, 0.0124969)),
    },
    basis=DERIVED,
    source=SOLUTION,
)
def h(runs: Runs, case: Expected) -> Check:
    return check(runs[f"logit_{case.M}"]["h"].at(case.t), near(case.values, within_percent=0.01))


# Below, the series ``scaled_gap`` is (h* - h) M / eta_Y.


@claim(
    "fig8",
    says="M = {case}: h* is never below h: smallest (h* - h) M / eta_Y over 20000 steps, up to rounding",
    cases=SIZES,
    basis=PAPER,
    source="Lemma 7",
)
def never_below(runs: Runs, case: int) -> Check:
    return check(smallest(runs[f"logit_{case}"]["scaled_gap"]).min(), at_least(-1e-9))


@claim(
    "fig8",
    says="M = {case}: h* - h is at most 2 eta_Y / M: largest (h* - h) M / eta_Y for the five learning rates",
    cases=SIZES,
    basis=PAPER,
    source="Lemma 7",
)
def bounded(runs: Runs, case: int) -> Check:
    return check(largest(runs[f"logit_{case}"]["scaled_gap"]), at_most(2))


@claim(
    "fig8",
    says="M = {case}: the largest (h* - h) M / eta_Y is about .2 for each of the five learning rates",
    cases=SIZES,
    basis=DERIVED,
    source=SOLUTION,
)
def largest_gap(runs: Runs, case: int) -> Check:
    return check(largest(runs[f"logit_{case}"]["scaled_gap"]), near(0.2, within=0.05))


@claim(
    "fig8",
    says="M = {case}: h* - h vanishes: (h* - h) M / eta_Y at t = 20000, below two percent of its largest",
    cases=SIZES,
    basis=DERIVED,
    source="Lemma 7; the number is from an independent solution",
)
def gap_vanishes(runs: Runs, case: int) -> Check:
    return check(runs[f"logit_{case}"]["scaled_gap"].at(20000), at_most(0.0037))

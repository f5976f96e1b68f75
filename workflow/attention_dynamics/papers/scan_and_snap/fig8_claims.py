"""Claims about Fig 8: the decoder's logit in steps, h*, and in continuous time, h, for five learning rates.

The series ``scaled_gap`` is (h* - h) M / eta_Y. The step of h* and the slope of h are phi(h) =
eta_Y / (M - 1 + exp(M h)).
"""

from typing import NamedTuple

from attention_dynamics.claims.claim import DERIVED, RECOMPUTED, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check, near
from attention_dynamics.claims.results import Runs
from attention_dynamics.claims.statistics import largest, smallest

SOLUTION_SOURCE = "independent solution"
# Sizes M of the vocabulary: the panels.
SIZES = (50, 1000)
RATES = {50: "0.1, 0.2, 0.5, 1 and 2", 1000: "0.2, 0.5, 1, 2 and 4"}


class Expected(NamedTuple):
    """h* or h at a time, for the five learning rates."""

    M: int
    t: int
    values: tuple[float, ...]

    @property
    def rates(self) -> str:
        """The learning rates of the panel, in words."""
        return RATES[self.M]


@claim(
    "fig8",
    says="With M = {case.M} tokens the decoder's logit in steps, h*, is that of an independent solution: h* at t = "
    "{case.t} for eta_Y = {case.rates}",
    cases={
        "50": Expected(50, 79, (0.100609, 0.124238, 0.14826, 0.164098, 0.179045)),
        "1000": Expected(1000, 70, (0.00862569, 0.0101538, 0.0110203, 0.0118005, 0.0125407)),
    },
    basis=RECOMPUTED,
    source=SOLUTION_SOURCE + " of the recursion, equation 33",
)
def h_star(runs: Runs, case: Expected) -> Check:
    return check(runs[f"logit_{case.M}"]["h_star"].at(case.t), near(case.values, within_percent=0.01))


@claim(
    "fig8",
    says="With M = {case.M} tokens the decoder's logit in continuous time, h, is that of an independent solution: h at "
    "t = {case.t} for eta_Y = {case.rates}",
    cases={
        "50": Expected(50, 79, (0.100261, 0.123794, 0.14773, 0.163497, 0.178357)),
        "1000": Expected(1000, 70, (0.00859656, 0.0101222, 0.0109857, 0.0117617, 0.0124969)),
    },
    basis=RECOMPUTED,
    source=SOLUTION_SOURCE + " of the root, equation 45",
)
def h(runs: Runs, case: Expected) -> Check:
    return check(runs[f"logit_{case.M}"]["h"].at(case.t), near(case.values, within_percent=0.01))


@claim(
    "fig8",
    says="With M = {case} tokens the decoder's logit in steps, h*, is never below that in continuous time, h: smallest "
    "(h* - h) M / eta_Y over 20,000 steps and five learning rates, up to rounding",
    cases=SIZES,
    basis=DERIVED,
    source="as in the proof of Lemma 7: h cannot cross the broken line through h*(s) from below, because where they "
    "meet after step s its slope phi(h) is at most the line's phi(h*(s)), as phi decreases",
)
def never_below(runs: Runs, case: int) -> Check:
    return check(smallest(runs[f"logit_{case}"]["scaled_gap"]).min(), at_least(-1e-9))


@claim(
    "fig8",
    says="With M = {case} tokens the decoder's logit in steps, h*, exceeds that in continuous time, h, by at most "
    "eta_Y / M at whole steps: largest (h* - h) M / eta_Y over 20,000 steps, for the five learning rates",
    cases=SIZES,
    basis=DERIVED,
    source="as in the proof of Lemma 7: if h(s + 1) >= h*(s), then h* - h at s + 1 is at most the step phi(h*(s)) <= "
    "eta_Y / M; if not, h rises faster than h* from s to s + 1 and the gap shrinks",
)
def bounded(runs: Runs, case: int) -> Check:
    return check(largest(runs[f"logit_{case}"]["scaled_gap"]), at_most(1))


@claim(
    "fig8",
    says="With M = {case} tokens the decoder's logit in steps, h*, exceeds that in continuous time, h, by about 0.2 "
    "eta_Y / M at most: largest (h* - h) M / eta_Y over 20,000 steps, for the five learning rates",
    cases=SIZES,
    basis=RECOMPUTED,
    source=SOLUTION_SOURCE + ": 0.185 to 0.212",
)
def largest_gap(runs: Runs, case: int) -> Check:
    return check(largest(runs[f"logit_{case}"]["scaled_gap"]), near(0.2, within=0.05))


@claim(
    "fig8",
    says="With M = {case} tokens the difference of the decoder's logits in steps, h*, and in continuous time, h, "
    "vanishes (Lemma 7 b): (h* - h) M / eta_Y at t = 20,000, below two percent of its largest value, for the five "
    "learning rates",
    cases=SIZES,
    basis=RECOMPUTED,
    source=SOLUTION_SOURCE + ": at most 1.1 percent of the largest",
)
def gap_vanishes(runs: Runs, case: int) -> Check:
    return check(runs[f"logit_{case}"]["scaled_gap"].at(20000), at_most(0.0037))

"""Claims about our figure on Theorem 4 and Lemma 9: the two stages of attention, before t0' and after t0."""

from typing import NamedTuple

import numpy as np

from attention_dynamics.claims.claim import DERIVED, RECOMPUTED, claim
from attention_dynamics.claims.expectation import Check, at_least, check, near
from attention_dynamics.claims.results import Results


@claim(
    "ext_theorem4",
    says="Up to t0' = K ln M / eta_Y, while attention scans, its speed gamma is eta_Y t / K within a factor of two: "
    "smallest and largest ratio",
    basis=RECOMPUTED,
    source="Lemma 9; independent computation: 0.55 to 0.60 at t0', 0.96 to 1 up to half of it",
)
def early_speed(stages: Results) -> Check:
    early = (stages["speed"].steps > 0) & (stages["speed"].steps <= 1)
    ratio = stages["speed"].values[early] / stages["speed_rate"].values[early]
    return check([ratio.min(), ratio.max()], near(0.75, within=0.25))


class Range(NamedTuple):
    """Expected number at a multiple of t0."""

    t0: int
    expected: float
    within: float


@claim(
    "ext_theorem4",
    says="After t0, where attention snaps, its speed gamma tends to K ln(M eta_Y t / K) / (eta_Y t): their ratio at "
    "{case.t0} t0, for eta_Y = eta_Z = 0.5, 1 and 5",
    cases={"1": Range(1, 1.6, 0.1), "3": Range(3, 1.175, 0.015), "10": Range(10, 1.05, 0.01)},
    basis=RECOMPUTED,
    source="Lemma 9; independent computation for M = 50 to 10,000: 1.5 to 1.7 at t0, 1.16 to 1.19 at 3 t0, 1.04 to "
    "1.06 at 10 t0",
)
def late_speed(stages_late: Results, case: Range) -> Check:
    ratio = stages_late["speed"].at(case.t0) / stages_late["speed_rate"].at(case.t0)
    return check(ratio, near(case.expected, within=case.within))


@claim(
    "ext_theorem4",
    says="The late rate of the speed of attention gamma that Theorem 1 (b) prints, without M in the logarithm, is too "
    "small: gamma over it at t0, where attention snaps, for eta_Y = eta_Z = 0.5, 1 and 5",
    basis=RECOMPUTED,
    source="independent computation: 3.8 to 9, by M",
)
def printed_rate(stages_late: Results) -> Check:
    return check(stages_late["speed"].at(1) / stages_late["late_rate"].at(1), near(6.4, within=2.6))


@claim(
    "ext_theorem4",
    says="The late branch of equation 14 tends to the growth exponent B of equation 129: relative error at {case.t0} "
    "t0, where t0 is the start of snapping, for eta_Y = eta_Z = 0.5, 1 and 5",
    cases={"1": Range(1, 0, 0.05), "3": Range(3, 0, 0.015), "10": Range(10, 0, 0.015)},
    basis=RECOMPUTED,
    source="independent computation: up to 5 percent at t0, 1.5 percent from 3 t0 on",
)
def late_exponent(stages_late: Results, case: Range) -> Check:
    exponents = [stages_late[name].at(case.t0) for name in ("exponent_rate", "printed_exponent")]
    return check(exponents[0] / exponents[1] - 1, near(case.expected, within=case.within))


@claim(
    "ext_theorem4",
    says="The early branch of equation 14 is close to the growth exponent B of equation 129: relative error at t0' = K "
    "ln M / eta_Y, the end of scanning",
    basis=RECOMPUTED,
    source="independent computation: up to 7 percent at t0' for equal learning rates",
)
def early_exponent(stages: Results) -> Check:
    return check(stages["exponent_rate"].at(1) / stages["printed_exponent"].at(1) - 1, near(0, within=0.07))


@claim(
    "ext_theorem4",
    says="The speed of attention gamma grows while attention scans, and falls once it snaps: smallest change up to t0' "
    "/ 2, and smallest fall from t0 on, from one time to the next",
    basis=DERIVED,
    source="equation 85: gamma is proportional to x / (M - 1 + e^x) with x = M h, which has one maximum, where (x - 1) "
    "e^x = M - 1; for M = 1000 that is at 0.81 t0'",
)
def one_maximum(stages: Results) -> Check:
    speed, steps = stages["speed"].values[:, 0], stages["speed"].steps
    start = (stages["snapping_start"].at(0) / stages["scanning_end"].at(0)).item()
    return check([np.diff(speed[steps <= 0.5]).min(), -np.diff(speed[steps >= start]).max()], at_least(0))

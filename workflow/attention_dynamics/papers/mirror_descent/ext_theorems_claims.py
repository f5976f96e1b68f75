"""Claims about the theorems: minimizers in balls, mirror descent with constant steps, and with normalized steps."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from attention_dynamics.claims.claim import CHOSEN, DERIVED, FULL_SCALES, PAPER, RECOMPUTED, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check, equals, near
from attention_dynamics.claims.results import Results, Runs
from attention_dynamics.claims.series import Series
from attention_dynamics.claims.statistics import (
    largest_increase,
    largest_ratio_of_means,
    mean,
    share_above,
    slope,
    smallest_increase,
)
from attention_dynamics.papers.mirror_descent.abstract import DIRECTION
from attention_dynamics.papers.mirror_descent.mirror_flow import divergence_exponent, norm_exponent
from attention_dynamics.papers.mirror_descent.protocol import EXPONENTS, divergence, run_of

COMPUTATION_SOURCE = "independent computation with the published data and settings"
SAME_SETTINGS_SOURCE = "independent computation with the same settings"
DESCENT_THEOREM = (
    "no violation in an independent computation with the same settings; the theorem, whose text is not at hand, is "
    "thought to say so"
)

# Radii, as multiples of the norm of the SVM: mean divergence of the minimizer in the ball.
PATH = {10: 1.5e-2, 30: 2.3e-3, 100: 2.5e-4, 300: 3.0e-5}
# Mean divergences under constant steps after 1000, 10000 and 100000 iterations.
CONSTANT_STEPS = {1.75: [0.070, 0.047, 0.033], 2: [0.069, 0.047, 0.032], 3: [0.075, 0.053, 0.036]}
DECADES = (1000, 10000, 100000)


class Bound(NamedTuple):
    """A rate at which the divergence falls, in words, and its reciprocal as a function of the iteration k."""

    p: float
    rate: str
    reciprocal: Callable[[float], float]


class Fall(NamedTuple):
    """From which iteration to which the divergence falls with a power of their number."""

    p: float
    first: int
    last: int


BOUNDS = {
    "1.75": Bound(1.75, "(ln k)^-0.75", lambda k: np.log(k) ** 0.75),
    "2": Bound(2, "1 / ln k (the known rate without its factor (ln ln k)^2)", np.log),
    "3": Bound(3, "ln ln k / ln k", lambda k: np.log(k) / np.log(np.log(k))),
}
FALLS = {
    "1.75": Fall(1.75, 300, 1500),
    "2": Fall(2, 400, 2000),
    "3": Fall(3, 4000, 20000),
}


@claim(
    "ext_theorems",
    says="With p = {case}, the minimizers in l_p balls tend in direction to the l_p-AttSVM of the optimal tokens: mean "
    "divergence at radii of 10, 30, 100 and 300 times the norm of that SVM",
    cases=EXPONENTS,
    basis=RECOMPUTED,
    source=f"{SAME_SETTINGS_SOURCE}; the tolerance is ours",
    scales=FULL_SCALES,
)
def path(runs: Runs, case: float) -> Check:
    of_minimizer = divergence(run_of(runs, "attrp", case), case)
    return check([of_minimizer.at(radius).mean() for radius in PATH], near([*PATH.values()], within_percent=20))


@claim(
    "ext_theorems",
    says="With p = {case}, every minimizer in a large l_p ball has the direction of the l_p-AttSVM of the optimal "
    "tokens: largest divergence at a radius of 100 times the norm of that SVM",
    cases=EXPONENTS,
    basis=CHOSEN,
    source="four times the mean of an independent computation",
)
def path_is_close(runs: Runs, case: float) -> Check:
    return check(divergence(run_of(runs, "attrp", case), case).at(100).max(), at_most(0.001))


@claim(
    "ext_theorems",
    says="With p = {case}, the divergence of minimizers in l_p balls falls with the square of the radius R: mean at R "
    "= 300 over that at R = 100, in norms of the l_p-AttSVM",
    cases=EXPONENTS,
    basis=DERIVED,
    source="(1/3)^2: at the minimizer the exponentials of all margins are in the ratios of the multipliers, so that "
    "margins differ by O(1) and the direction by O(1/R), in which the divergence is quadratic; the tolerance is ours",
    scales=FULL_SCALES,
)
def path_rate(runs: Runs, case: float) -> Check:
    ratio = largest_ratio_of_means(divergence(run_of(runs, "attrp", case), case), [100, 300])
    return check(ratio, near(0.111, within=0.02))


@claim(
    "ext_theorems",
    says="With p = {case}, constant steps start near the l_p-AttSVM: mean divergence of W(0)",
    cases=EXPONENTS,
    basis=RECOMPUTED,
    source=SAME_SETTINGS_SOURCE,
    scales=FULL_SCALES,
)
def starts_near(constant_step: Results, case: float) -> Check:
    return check(mean(_own_start(divergence(constant_step, case), case).at(0)), near(0.105, within=0.01))


@claim(
    "ext_theorems",
    says="With p = {case}, under constant steps W converges in direction to the l_p-AttSVM: mean divergence after "
    "1000, 10,000 and 100,000 iterations",
    cases=EXPONENTS,
    basis=RECOMPUTED,
    source=f"{SAME_SETTINGS_SOURCE}; the tolerance is ours",
    scales=FULL_SCALES,
)
def constant_steps(constant_step: Results, case: float) -> Check:
    own = _own_start(divergence(constant_step, case), case)
    return check([own.at(step).mean() for step in DECADES], near(CONSTANT_STEPS[case], within_percent=10))


@claim(
    "ext_theorems",
    says="With p = {case}, under constant steps W converges in direction to the l_p-AttSVM: largest ratio of the mean "
    "divergence to that of ten times fewer iterations, from 1000 to 10,000 and from there to 100,000",
    cases=EXPONENTS,
    basis=PAPER,
    source=f"{DIRECTION}; of the limit only that the divergence keeps falling can be judged",
    scales=FULL_SCALES,
)
def keeps_converging(constant_step: Results, case: float) -> Check:
    return check(largest_ratio_of_means(_own_start(divergence(constant_step, case), case), DECADES), at_most(1))


@claim(
    "ext_theorems",
    says="With p = {case}, under constant steps the risk falls from every recorded iterate to the next: largest "
    "change of the logarithm of its distance from the infimum",
    cases=EXPONENTS,
    basis=RECOMPUTED,
    source=DESCENT_THEOREM,
    scales=FULL_SCALES,
)
def risk_falls(constant_step: Results, case: float) -> Check:
    return check(largest_increase(_own_start(constant_step["log_gap"], case)).max(), at_most(0))


@claim(
    "ext_theorems",
    says="With p = {case}, under constant steps the norm of W grows from every recorded iterate to the next: smallest "
    "change of |W|_p",
    cases=EXPONENTS,
    basis=RECOMPUTED,
    source=DESCENT_THEOREM,
    scales=FULL_SCALES,
)
def norm_grows(constant_step: Results, case: float) -> Check:
    return check(smallest_increase(_own_start(constant_step["lp_norm_p"], case)).min(), at_least(1e-4))


@claim(
    "ext_theorems",
    says="Under constant steps attention selects the optimal tokens, those of the highest scores, in all six inputs: "
    "share of runs at the end",
    basis=RECOMPUTED,
    source=SAME_SETTINGS_SOURCE,
    scales=FULL_SCALES,
)
def selects_optimal(constant_step: Results) -> Check:
    return check(share_above(constant_step["selects_optimal"].at(constant_step.last_step)), equals(1))


@claim(
    "ext_theorems",
    says="With p = {case.p}, under constant steps the divergence falls at least as fast as {case.rate}: largest ratio "
    "of the mean, divided by that rate, from k = 1000 to 10,000 and from there to 100,000 iterations",
    cases=BOUNDS,
    basis=CHOSEN,
    source="known rate of p-norm gradient descent for linear models; this paper's own formula is not at hand",
    scales=FULL_SCALES,
)
def rate_bound(constant_step: Results, case: Bound) -> Check:
    own = _own_start(divergence(constant_step, case.p), case.p)
    return check(largest_ratio_of_means(own, DECADES, times=case.reciprocal), at_most(1))


@claim(
    "ext_theorems",
    says="With p = {case.p}, under normalized steps the divergence falls with a power of the number of iterations: "
    "slope on logarithmic axes over iterations {case.first} to {case.last}",
    cases=FALLS,
    basis=DERIVED,
    source="the exponent -2 min(1, 1 / (p - 1)): the divergence falls with the norm to the power of "
    "-2 min(1, p - 1), which grows with the number of steps to the power of 1 / (p - 1); an independent "
    "computation found as much; the tolerance is ours",
)
def normalized_rate(runs: Runs, case: Fall) -> Check:
    power = divergence_exponent(case.p) * norm_exponent(case.p)
    late = run_of(runs, "exact", case.p)["bregman_own"].during(case.first, case.last)
    return check(slope(late.log(), "log"), near(power, within=0.25))


def _own_start(series: Series, p: float) -> Series:
    """Return the trajectories with exponent p: the run with constant steps has a start for each exponent."""
    return series.starts(EXPONENTS.index(p))

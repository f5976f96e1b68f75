"""Claims about the theorems: minimisers in balls, mirror descent with constant steps, and with normalized steps."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from attention_dynamics.claims.claim import CHOSEN, DERIVED, FULL_SCALES, claim
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
from attention_dynamics.papers.mirror_descent.protocol import EXPONENTS, divergence, run_of

COMPUTED = "independent computation with the published data and settings"
COMPUTED_AS_HERE = "independent computation with the same settings"
PATH_THEOREM = "theorem on the regularization path, wording inferred; values of an independent computation"
DESCENT_THEOREM = "theorem, wording inferred; no violation in an independent computation"

# Radii, as multiples of the norm of the SVM: mean divergence of the minimiser in the ball.
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
    """The power of the number of iterations with which the divergence falls, from one iteration to another."""

    p: float
    first: int
    last: int
    power: float


BOUNDS = {
    "1.75": Bound(1.75, "(ln k)^-.75", lambda k: np.log(k) ** 0.75),
    "2": Bound(2, "1 / ln k, that is without its factor (ln ln k)^2,", np.log),
    "3": Bound(3, "ln ln k / ln k", lambda k: np.log(k) / np.log(np.log(k))),
}
FALLS = {
    "1.75": Fall(1.75, 300, 1500, power=-2.0),
    "2": Fall(2, 400, 2000, power=-2.0),
    "3": Fall(3, 4000, 20000, power=-1.0),
}


@claim(
    "ext_theorems",
    says="p = {case}: mean divergence of the minimiser in a ball from the SVM of the optimal tokens, at 10, 30, 100 "
    "and 300 times its norm",
    cases=EXPONENTS,
    basis=DERIVED,
    source=PATH_THEOREM,
    scales=FULL_SCALES,
)
def path(runs: Runs, case: float) -> Check:
    of_minimiser = divergence(run_of(runs, "attrp", case), case)
    return check([of_minimiser.at(radius).mean() for radius in PATH], near([*PATH.values()], within_percent=20))


@claim(
    "ext_theorems",
    says="p = {case}: the largest of these divergences at 100 times its norm",
    cases=EXPONENTS,
    basis=CHOSEN,
    source=PATH_THEOREM,
)
def path_is_close(runs: Runs, case: float) -> Check:
    return check(divergence(run_of(runs, "attrp", case), case).at(100).max(), at_most(0.001))


@claim(
    "ext_theorems",
    says="p = {case}: the divergence falls with the square of the radius: mean at 300 over that at 100",
    cases=EXPONENTS,
    basis=CHOSEN,
    source="slope -2 in an independent computation; the tolerance is ours",
    scales=FULL_SCALES,
)
def path_rate(runs: Runs, case: float) -> Check:
    ratio = largest_ratio_of_means(divergence(run_of(runs, "attrp", case), case), [100, 300])
    return check(ratio, near(0.111, within=0.02))


@claim(
    "ext_theorems",
    says="p = {case}, constant steps: mean divergence of W(0)",
    cases=EXPONENTS,
    basis=DERIVED,
    source=COMPUTED_AS_HERE,
    scales=FULL_SCALES,
)
def starts_near(constant_step: Results, case: float) -> Check:
    return check(mean(_own_start(divergence(constant_step, case), case).at(0)), near(0.105, within=0.01))


@claim(
    "ext_theorems",
    says="p = {case}, constant steps: mean divergence after 1000, 10000 and 100000 iterations",
    cases=EXPONENTS,
    basis=DERIVED,
    source=COMPUTED_AS_HERE,
    scales=FULL_SCALES,
)
def constant_steps(constant_step: Results, case: float) -> Check:
    own = _own_start(divergence(constant_step, case), case)
    return check([own.at(step).mean() for step in DECADES], near(CONSTANT_STEPS[case], within_percent=10))


@claim(
    "ext_theorems",
    says="p = {case}, constant steps: the risk falls from every recorded iterate to the next: largest change of the "
    "logarithm of its distance from the infimum",
    cases=EXPONENTS,
    basis=DERIVED,
    source=DESCENT_THEOREM,
    scales=FULL_SCALES,
)
def risk_falls(constant_step: Results, case: float) -> Check:
    return check(largest_increase(_own_start(constant_step["log_gap"], case)).max(), at_most(0))


@claim(
    "ext_theorems",
    says="p = {case}, constant steps: |W|_p grows: smallest change from one recorded iterate to the next",
    cases=EXPONENTS,
    basis=DERIVED,
    source=DESCENT_THEOREM,
    scales=FULL_SCALES,
)
def norm_grows(constant_step: Results, case: float) -> Check:
    return check(smallest_increase(_own_start(constant_step["lp_norm_p"], case)).min(), at_least(1e-4))


@claim(
    "ext_theorems",
    says="constant steps: share of runs that select the optimal tokens at the end",
    basis=DERIVED,
    source=COMPUTED_AS_HERE,
    scales=FULL_SCALES,
)
def selects_optimal(constant_step: Results) -> Check:
    return check(share_above(constant_step["selects_optimal"].at(constant_step.last_step)), equals(1))


@claim(
    "ext_theorems",
    says="p = {case.p}, constant steps: mean divergence relative to {case.rate} falls from k = 1000 to 10000 to "
    "100000: largest ratio",
    cases=BOUNDS,
    basis=CHOSEN,
    source="rate of p-norm gradient descent in simpler models, not read in this paper",
    scales=FULL_SCALES,
)
def rate_bound(constant_step: Results, case: Bound) -> Check:
    own = _own_start(divergence(constant_step, case.p), case.p)
    return check(largest_ratio_of_means(own, DECADES, times=case.reciprocal), at_most(1))


@claim(
    "ext_theorems",
    says="p = {case.p}, normalized steps: exponent of the number of iterations with which the divergence falls, over "
    "[{case.first}, {case.last}]",
    cases=FALLS,
    basis=DERIVED,
    source=COMPUTED,
)
def normalized_rate(runs: Runs, case: Fall) -> Check:
    late = run_of(runs, "exact", case.p)["bregman_own"].during(case.first, case.last)
    return check(slope(late.log(), "log"), near(case.power, within=0.25))


def _own_start(series: Series, p: float) -> Series:
    """Return the trajectories with exponent p: the run with constant steps has a start for each exponent."""
    return series.starts(EXPONENTS.index(p))

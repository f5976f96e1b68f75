"""Claims about the theorems: minimizers in balls, mirror descent with constant steps, and with normalized steps."""

from collections.abc import Callable

import numpy as np

from attention_dynamics.claims.claim import CHOSEN, DERIVED, FULL_SCALES, PAPER, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check, near
from attention_dynamics.papers.mirror_descent.abstract import DIRECTION
from attention_dynamics.papers.mirror_descent.mirror_flow import divergence_exponent, norm_exponent
from attention_dynamics.papers.mirror_descent.protocol import EXPONENTS, divergence, run_of
from attention_dynamics.run import Run, Runs
from attention_dynamics.series.series import Series
from attention_dynamics.series.statistics import (
    largest_increase,
    largest_ratio_of_means,
    slope,
    smallest_increase,
)

DESCENT_THEOREM = "the theorem, whose text is not at hand, is thought to say so"

DECADES = (1000, 10000, 100000)


# Rates at which the divergence falls under constant steps, for each exponent: their reciprocals at iteration k.
RATES: list[Callable[[float], float]] = [
    lambda k: np.log(k) ** 0.75,
    np.log,
    lambda k: np.log(k) / np.log(np.log(k)),
]
# For each exponent, the iterations from which to which the divergence falls with a power of their number.
FALLS = [(300, 1500), (400, 2000), (4000, 20000)]


@claim(
    "ext_theorems",
    says="Every minimizer in a large l_p ball has the direction of the l_p-AttSVM of the optimal tokens: largest "
    "divergence at a radius of 100 times the norm of that SVM, for p = 1.75, 2 and 3",
    basis=CHOSEN,
    source="the threshold is ours, four times the mean of an independent computation",
)
def path_is_close(runs: Runs) -> Check:
    return check([divergence(run_of(runs, "attrp", p), p).at(100).max() for p in EXPONENTS], at_most(0.001))


@claim(
    "ext_theorems",
    says="The divergence of minimizers in l_p balls falls with the square of the radius R: mean at R = 300 over that "
    "at R = 100, in norms of the l_p-AttSVM, for p = 1.75, 2 and 3",
    basis=DERIVED,
    source="(1/3)^2: at the minimizer the exponentials of all margins are in the ratios of the multipliers, so that "
    "margins differ by O(1) and the direction by O(1/R), in which the divergence is quadratic; the tolerance is ours",
    scales=FULL_SCALES,
)
def path_rate(runs: Runs) -> Check:
    paths = [divergence(run_of(runs, "attrp", p), p) for p in EXPONENTS]
    return check([largest_ratio_of_means(path, [100, 300]) for path in paths], near(0.111, within=0.02))


@claim(
    "ext_theorems",
    says="Under constant steps W converges in direction to the l_p-AttSVM: largest ratio of the mean divergence to "
    "that of ten times fewer iterations, from 1000 to 10,000 and from there to 100,000, for p = 1.75, 2 and 3",
    basis=PAPER,
    source=f"{DIRECTION}; of the limit only that the divergence keeps falling can be judged",
    scales=FULL_SCALES,
)
def keeps_converging(constant_step: Run) -> Check:
    return check([largest_ratio_of_means(own, DECADES) for own in _divergences(constant_step)], at_most(1))


@claim(
    "ext_theorems",
    says="Under constant steps the risk falls from every recorded iterate to the next: largest change of the logarithm "
    "of its distance from the infimum, for p = 1.75, 2 and 3",
    basis=CHOSEN,
    source=DESCENT_THEOREM,
    scales=FULL_SCALES,
)
def risk_falls(constant_step: Run) -> Check:
    gaps = [_own_start(constant_step["log_gap"], p) for p in EXPONENTS]
    return check([largest_increase(gap).max() for gap in gaps], at_most(0))


@claim(
    "ext_theorems",
    says="Under constant steps the norm of W grows from every recorded iterate to the next: smallest change of |W|_p, "
    "for p = 1.75, 2 and 3",
    basis=CHOSEN,
    source=f"{DESCENT_THEOREM}; the threshold is ours",
    scales=FULL_SCALES,
)
def norm_grows(constant_step: Run) -> Check:
    norms = [_own_start(constant_step["lp_norm_p"], p) for p in EXPONENTS]
    return check([smallest_increase(norm).min() for norm in norms], at_least(1e-4))


@claim(
    "ext_theorems",
    says="Under constant steps the divergence falls at least as fast as (ln k)^-0.75, 1 / ln k and ln ln k / ln k for "
    "p = 1.75, 2 and 3: largest ratio of the mean, divided by that rate, from k = 1000 to 10,000 and from there to "
    "100,000 iterations",
    basis=CHOSEN,
    source="known rates of p-norm gradient descent for linear models, that for p = 2 without its factor (ln ln k)^2; "
    "this paper's own formula is not at hand",
    scales=FULL_SCALES,
)
def rate_bound(constant_step: Run) -> Check:
    pairs = zip(_divergences(constant_step), RATES, strict=True)
    return check([largest_ratio_of_means(own, DECADES, times=rate) for own, rate in pairs], at_most(1))


@claim(
    "ext_theorems",
    says="Under normalized steps the divergence falls with a power of the number of iterations: slope on logarithmic "
    "axes over iterations 300 to 1500, 400 to 2000 and 4000 to 20,000 for p = 1.75, 2 and 3",
    basis=DERIVED,
    source="the exponent -2 min(1, 1 / (p - 1)): the divergence falls with the norm to the power of "
    "-2 min(1, p - 1), which grows with the number of steps to the power of 1 / (p - 1); the tolerance is ours",
)
def normalized_rate(runs: Runs) -> Check:
    late = [run_of(runs, "exact", p)["bregman_own"].during(*window) for p, window in zip(EXPONENTS, FALLS, strict=True)]
    powers = [divergence_exponent(p) * norm_exponent(p) for p in EXPONENTS]
    return check([slope(one.log(), "log") for one in late], near(powers, within=0.25))


def _divergences(constant_step: Run) -> list[Series]:
    """Return the divergence from the SVM in each norm, of the trajectories with that exponent."""
    return [_own_start(divergence(constant_step, p), p) for p in EXPONENTS]


def _own_start(series: Series, p: float) -> Series:
    """Return the trajectories with exponent p: the run with constant steps has a start for each exponent."""
    return series.starts(EXPONENTS.index(p))

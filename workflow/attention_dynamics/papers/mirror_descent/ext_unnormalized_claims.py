"""Claims about the theory's constant steps beside the experiments' normalized ones."""

from dataclasses import replace

import numpy as np

from attention_dynamics.claims.claim import CHOSEN, DERIVED, FULL_SCALES, PAPER, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check, near
from attention_dynamics.claims.results import Results
from attention_dynamics.claims.series import Series
from attention_dynamics.claims.statistics import (
    fit_quality,
    largest_increase,
    median,
    slope,
    smallest_increase,
)
from attention_dynamics.papers.mirror_descent.abstract import DIRECTION
from attention_dynamics.papers.mirror_descent.mirror_flow import divergence_exponent, norm_exponent
from attention_dynamics.papers.mirror_descent.protocol import EXPONENTS, divergence
from attention_dynamics.problems.problem import Array

DESCENT_THEOREM = (
    "the theorem, whose text is not at hand, is thought to say so; no violation in an independent computation with "
    "W(0) near the SVM"
)
FLOW = (
    "both kinds of steps discretize mirror flow, d m(W) / dt = -grad L(W), along which they differ in time alone; the "
    "tolerance for finite steps was chosen after seeing 0.009"
)
# Norms of W at which paths are compared: between the first steps and the end of the slower run.
SMALLEST_NORM = 1.0
COMPARED_NORMS = 40
LATE_STEP = 2000


@claim(
    "ext_unnormalized",
    says="With p = {case}, constant and normalized steps take the same path: largest difference of the divergences "
    "from the l_p-AttSVM at equal |W|_p, in any data set",
    cases=EXPONENTS,
    basis=DERIVED,
    source=FLOW,
    scales=FULL_SCALES,
)
def same_path(unnormalized: Results, normalized: Results, case: float) -> Check:
    return check(_differences_at_equal_norm(unnormalized, normalized, case).max(), at_most(0.02))


@claim(
    "ext_unnormalized",
    says="With p = {case}, normalized steps need a tenth of the iterations: the first after which their median "
    "divergence from the l_p-AttSVM is at most that of the last constant step, over the number of constant steps",
    cases=EXPONENTS,
    basis=CHOSEN,
    source="a tenth is our choice; constant steps move W like the logarithm of their number, normalized ones like a "
    "power",
    scales=FULL_SCALES,
)
def normalized_is_faster(unnormalized: Results, normalized: Results, case: float) -> Check:
    slower, faster = (_median_over_data(_own(run, case)) for run in (unnormalized, normalized))
    reached = faster.steps[np.argmax(faster.values[:, 0] <= slower.values[-1, 0])]
    return check(reached / unnormalized.last_step, at_most(0.1))


@claim(
    "ext_unnormalized",
    says="With p = {case}, under normalized steps the norm grows like a power of their number: slope of ln |W|_p over "
    "ln k from 2000 iterations on, median of the data sets",
    cases=EXPONENTS,
    basis=DERIVED,
    source="1 / (p - 1): every step moves m(W) by eta in the dual norm, in the end in one direction, and the dual "
    "norm of m(W) is |W|_p^(p - 1); the tolerance was chosen after seeing",
    scales=FULL_SCALES,
)
def norm_is_a_power(normalized: Results, case: float) -> Check:
    late = _start(normalized["lp_norm_p"], case).during(LATE_STEP, normalized.last_step)
    return check(median(slope(late.log(), "log")), near(norm_exponent(case), within_percent=5))


@claim(
    "ext_unnormalized",
    says="With p = {case}, under constant steps the norm grows like the logarithm of their number: smallest R^2 of the "
    "line of |W|_p over ln k from 2000 iterations on, of all data sets",
    cases=EXPONENTS,
    basis=DERIVED,
    source="the gradient is of the order of exp(-|W|_p / |W_mm|_p), W_mm the l_p-AttSVM; the threshold was chosen "
    "after seeing 0.989",
    scales=FULL_SCALES,
)
def norm_is_a_logarithm(unnormalized: Results, case: float) -> Check:
    late = _start(unnormalized["lp_norm_p"], case).during(LATE_STEP, unnormalized.last_step)
    return check(fit_quality(late, "log").min(), at_least(0.98))


@claim(
    "ext_unnormalized",
    says="With p = {case}, the divergence falls with a power of the norm: slope of ln D over ln |W|_p under normalized "
    "steps from 2000 iterations on, D the divergence from the l_p-AttSVM, median of the runs that select the optimal "
    "tokens",
    cases=EXPONENTS,
    basis=DERIVED,
    source="-2 min(1, p - 1): D is quadratic in the error of the direction, and what does not grow in the margins is "
    "of the order of 1 / |W|_p, what does not grow in m(W) of |W|_p^(1 - p); the tolerance was chosen after seeing",
    scales=FULL_SCALES,
)
def divergence_is_a_power_of_the_norm(normalized: Results, case: float) -> Check:
    optimal = _start(normalized["selects_optimal"], case)
    late = [
        _start(series, case).filter(optimal).during(LATE_STEP, normalized.last_step).log()
        for series in (divergence(normalized, case), normalized["lp_norm_p"])
    ]
    return check(median(slope(late[0], against=late[1])), near(divergence_exponent(case), within=0.25))


@claim(
    "ext_unnormalized",
    says="With p = {case}, constant steps from W(0) = 0 converge in direction too: median divergence from the "
    "l_p-AttSVM after the last iteration over that after a tenth of them",
    cases=EXPONENTS,
    basis=PAPER,
    source=f"{DIRECTION}; of the limit only that the divergence keeps falling can be judged",
    scales=FULL_SCALES,
)
def constant_steps_converge(unnormalized: Results, case: float) -> Check:
    own = _median_over_data(_own(unnormalized, case))
    return check(own.at(unnormalized.last_step) / own.at(unnormalized.last_step // 10), at_most(1))


@claim(
    "ext_unnormalized",
    says="With p = {case}, constant steps lower the risk: largest change of the logarithm of its distance from the "
    "infimum from one recorded iterate to the next, in any data set",
    cases=EXPONENTS,
    basis=CHOSEN,
    source=DESCENT_THEOREM,
    scales=FULL_SCALES,
)
def risk_falls(unnormalized: Results, case: float) -> Check:
    return check(largest_increase(_start(unnormalized["log_gap"], case)).max(), at_most(0))


@claim(
    "ext_unnormalized",
    says="With p = {case}, constant steps enlarge W: smallest change of |W|_p from one recorded iterate to the next, "
    "in any data set",
    cases=EXPONENTS,
    basis=CHOSEN,
    source=DESCENT_THEOREM,
    scales=FULL_SCALES,
)
def norm_grows(unnormalized: Results, case: float) -> Check:
    return check(smallest_increase(_start(unnormalized["lp_norm_p"], case)).min(), at_least(0))


def _start(series: Series, p: float) -> Series:
    """Return the trajectories with exponent p: both runs have a start for each exponent."""
    return series.starts(EXPONENTS.index(p))


def _own(run: Results, p: float) -> Series:
    """Return the divergences from the l_p-AttSVM of the paths with exponent p, after W(0) = 0."""
    return _start(divergence(run, p), p).during(1, run.last_step)


def _median_over_data(series: Series) -> Series:
    return replace(series.mean(), values=np.median(series.values, axis=1, keepdims=True))


def _differences_at_equal_norm(run: Results, other: Results, p: float) -> Array:
    """Return differences of divergences (norms, data sets) at norms that both runs of a data set reach."""
    divergences = [_own(one, p).values.T for one in (run, other)]
    # The norm may fall for a while, when a path turns to other tokens: it is where it was for the first time.
    norms = [np.maximum.accumulate(_start(one["lp_norm_p"], p).values[1:]).T for one in (run, other)]
    ends = np.minimum(norms[0][:, -1], norms[1][:, -1])
    grids = np.geomspace(SMALLEST_NORM, ends, COMPARED_NORMS).T
    curves = [
        np.array([np.interp(grid, x, y) for grid, x, y in zip(grids, norm, values, strict=True)])
        for norm, values in zip(norms, divergences, strict=True)
    ]
    return np.asarray(np.abs(curves[0] - curves[1]).T)

"""Claims about the theorems: minimizers in balls, mirror descent with constant steps, and with normalized steps."""

from collections.abc import Callable

import numpy as np

from attention_dynamics.claims.claim import CHOSEN, DERIVED, FULL_SCALES, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check, check_cases, near
from attention_dynamics.papers.mirror_descent.mirror_flow import divergence_exponent, norm_exponent
from attention_dynamics.papers.mirror_descent.protocol import EXPONENTS, divergence, log_change, run_of, start_of
from attention_dynamics.run import Run, Runs
from attention_dynamics.series.confidence import Sample
from attention_dynamics.series.statistics import (
    largest_increase,
    largest_ratio_of_means,
    slope,
    smallest_increase,
)

NOT_AT_HAND = "the text of the theorem is not at hand, and its form here is ours"

# ENTRIES: row and column of each of the two entries of W in the published picture.
# ARROWS: exponent of a panel of the picture -> iteration of its last arrow.
ENTRIES = ((1, 2), (3, 4))
ARROWS = {1.75: 425, 2: 900, 3: 13000}

# For each of EXPONENTS, 1 / rate(k). Up to a factor, rate(k) is a bound on the divergence after k constant steps.
INVERSE_RATES: list[Callable[[float], float]] = [
    lambda k: np.log(k) ** 0.75,
    np.log,
    lambda k: np.log(k) / np.log(np.log(k)),
]
# For each of EXPONENTS, first and last iteration of the window in which the divergence falls like a power of k.
FALLS = [(300, 1500), (400, 2000), (4000, 20000)]


@claim(
    statement="theorem-attrp",
    says="Minimizers in l_p balls turn to the l_p-AttSVM of the optimal tokens: ln of the divergence at a radius of "
    "300 minus at 100, in norms of that SVM, mean over 20 data sets and p = 1.75, 2 and 3",
    basis=CHOSEN,
    source=f"{NOT_AT_HAND}; of a limit only that the divergence keeps falling can be measured",
)
def path_is_close(runs: Runs) -> Check:
    paths = {f"p = {p:g}": divergence(run_of(runs, "attrp", p), p) for p in EXPONENTS}
    return check_cases({name: log_change(path, 100, 300) for name, path in paths.items()}, at_most(0))


@claim(
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
    statement="theorem-attgd-direction; abstract-direction",
    says="Under constant steps W turns to the l_p-AttSVM: ln of the divergence after 100,000 iterations minus after "
    "10,000, mean over 20 data sets and p = 1.75, 2 and 3",
    basis=CHOSEN,
    source=f"{NOT_AT_HAND}; of a limit only that the divergence keeps falling can be measured; cone and step size are "
    "ours; of locally optimal directions, that of the optimal tokens only",
    scales=FULL_SCALES,
)
def keeps_converging(constant_step: Run) -> Check:
    own = {f"p = {p:g}": start_of(divergence(constant_step, p), p) for p in EXPONENTS}
    return check_cases({name: log_change(series, 10000, 100000) for name, series in own.items()}, at_most(0))


@claim(
    statement="theorem-attgd-risk",
    says="Under constant steps the risk falls from every recorded iterate to the next: largest change of the logarithm "
    "of its distance from the infimum, in any data set, for p = 1.75, 2 and 3",
    basis=CHOSEN,
    source=NOT_AT_HAND,
    scales=FULL_SCALES,
)
def risk_falls(constant_step: Run) -> Check:
    gaps = [start_of(constant_step["log_gap"], p) for p in EXPONENTS]
    return check([largest_increase(gap).max() for gap in gaps], at_most(0))


@claim(
    statement="theorem-attgd-norm",
    says="Under constant steps the norm of W grows from every recorded iterate to the next: smallest change of |W|_p, "
    "in any data set, for p = 1.75, 2 and 3",
    basis=CHOSEN,
    source=NOT_AT_HAND,
    scales=FULL_SCALES,
)
def norm_grows(constant_step: Run) -> Check:
    norms = [start_of(constant_step["lp_norm_W"], p) for p in EXPONENTS]
    return check([smallest_increase(norm).min() for norm in norms], at_least(0))


@claim(
    statement="theorem-rate",
    says="Under constant steps the divergence falls at least as fast as (ln k)^-0.75, 1 / ln k and ln ln k / ln k for "
    "p = 1.75, 2 and 3: ln of the divergence over that rate after k = 100,000 iterations minus after 10,000, mean over "
    "20 data sets and p",
    basis=CHOSEN,
    source=f"known rates of p-norm gradient descent for linear models, that for p = 2 without its factor (ln ln k)^2; "
    f"{NOT_AT_HAND}",
    scales=FULL_SCALES,
)
def rate_bound(constant_step: Run) -> Check:
    cases = {}
    for p, inverse_rate in zip(EXPONENTS, INVERSE_RATES, strict=True):
        change = log_change(start_of(divergence(constant_step, p), p), 10000, 100000)
        allowed = np.log(inverse_rate(10000) / inverse_rate(100000))
        cases[f"p = {p:g}"] = Sample(change.values - allowed, change.draws, change.unit)
    return check_cases(cases, at_most(0))


@claim(
    statement="picture-direction",
    says="On the data set with seed 1 the two entries of W that the picture shows turn to those of the l_p-AttSVM: "
    "angle in degrees at the end minus at the last arrow of the picture, without guard and cancellation, for p = 1.75, "
    "2 and 3",
    basis=CHOSEN,
    source="the reading is ours, of 'the path of two entries'",
)
def two_entries(runs: Runs) -> Check:
    return check([_angle_of_entries(run_of(runs, "exact", p), ARROWS[p]) for p in EXPONENTS], at_most(0))


@claim(
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


def _angle_of_entries(run: Run, arrow: int) -> float:
    """Return by how many degrees the angle between W and the SVM changes from step ``arrow`` to the end.

    The angle is in the plane of the two ENTRIES.
    """
    weights = run.reference("own", "weights")
    side = round(len(weights) ** 0.5)
    target = complex(*(weights[row * side + column] for row, column in ENTRIES))
    entries = [
        complex(run["first_entry"].at(k).item(), run["second_entry"].at(k).item()) for k in (arrow, run.last_step)
    ]
    before, after = (abs(np.angle(one / target, deg=True)) for one in entries)
    return float(after - before)

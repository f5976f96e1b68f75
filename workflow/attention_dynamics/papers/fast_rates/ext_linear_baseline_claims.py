"""Claims that compare self-attention with linear logistic regression that has the same max-margin solution.

Both trainings begin at zero. The W of linear regression is the head v of its runs, in the coordinates of attention's W.
"""

from typing import NamedTuple

import numpy as np

from attention_dynamics.claims.claim import CHOSEN, DERIVED, FULL_SCALES, claim
from attention_dynamics.claims.expectation import Check, at_least, check, near
from attention_dynamics.claims.results import Results, Runs
from attention_dynamics.claims.statistics import slope
from attention_dynamics.papers.fast_rates.derivations import PARALLEL_STEPS, POLYAK_GAP
from attention_dynamics.types import Time

LINK = "abstract: 'linking it more closely to the phenomena observed in linear logistic regression'"
GAP = "once W has the direction of W_mm the gap is C exp(-|W| / |W_mm|)"
GD_GROWTH = f"{GAP}, so that a step of GD adds eta gap / |W_mm| to |W|, and |W| = |W_mm| ln t + constant"


class Method(NamedTuple):
    """An optimizer, with the window and the time scale on which its rate is measured.

    run: name of the run on attention, of whose starts the first is W(0) = 0. The run on linear regression has the same
    name after ``linear_``.
    """

    name: str
    run: str
    first: int
    last: int
    time: Time
    over: str


METHODS = {
    "gd": Method("GD", "gd", 1000, 10000, "log", "ln t"),
    "ngd": Method("NGD", "ngd", 200, 1000, "linear", "t"),
    "polyak": Method("the Polyak step", "polyak", 50, 500, "linear", "t"),
}


@claim(
    "ext_linear_baseline",
    says="Late in training the loss gap of self-attention falls at the rate of linear logistic regression under "
    "{case.name}: slope of ln(L - inf L) against {case.over} from iteration {case.first} to {case.last}, that of "
    "attention over that of linear regression",
    cases=METHODS,
    basis=DERIVED,
    source=f"{GAP}, with the same W_mm for both; {LINK}; the tolerance is ours",
    scales=FULL_SCALES,
)
def same_rate(runs: Runs, case: Method) -> Check:
    attention = runs[case.run]["log_gap"].starts(0).during(case.first, case.last)
    linear = runs[f"linear_{case.run}"]["log_gap"].during(case.first, case.last)
    return check(slope(attention, case.time) / slope(linear, case.time), near(1, within_percent=5))


@claim(
    "ext_linear_baseline",
    says="Self-attention and linear logistic regression end in the same direction under {case.name}: cosine of their W "
    "after {case.last} iterations",
    cases=METHODS,
    basis=CHOSEN,
    source=f"{LINK}; the threshold is ours",
    scales=FULL_SCALES,
)
def same_direction(runs: Runs, case: Method) -> Check:
    attention, linear = runs[case.run].run, runs[f"linear_{case.run}"].run
    W, v = attention.trajectory["p"][-1, :, 0], linear.trajectory["v"][-1, :, 0]
    return check(np.vecdot(W, v) / np.linalg.norm(W, axis=-1) / np.linalg.norm(v, axis=-1), at_least(0.99))


@claim(
    "ext_linear_baseline",
    says="The norm of W grows like |W_mm| ln t in linear logistic regression under GD: slope of |W| / |W_mm| against "
    "ln t from iteration 1000 to 10000",
    basis=DERIVED,
    source=f"{GD_GROWTH}; the tolerance is ours",
    scales=FULL_SCALES,
)
def gd_norm(linear_gd: Results) -> Check:
    return check(slope(linear_gd["scaled_norm_w_mm"].during(1000, 10000), "log"), near(1, within=0.05))


@claim(
    "ext_linear_baseline",
    says="The loss falls like 1 / t in linear logistic regression under GD: log-log slope from iteration 1000 to 10000",
    basis=DERIVED,
    source=f"{GD_GROWTH}; the tolerance is ours",
    scales=FULL_SCALES,
)
def gd_loss(linear_gd: Results) -> Check:
    return check(slope(linear_gd["log_gap"].during(1000, 10000), "log"), near(-1, within=0.05))


@claim(
    "ext_linear_baseline",
    says="The logarithm of the loss falls by eta / |W_mm| in every step of NGD in linear logistic regression: slope of "
    "ln L against eta t / |W_mm| from iteration 200 to 1000",
    basis=DERIVED,
    source=f"{GAP}; {PARALLEL_STEPS}",
    scales=FULL_SCALES,
)
def ngd_loss(linear_ngd: Results) -> Check:
    path = linear_ngd["scaled_path_w_mm"].during(200, 1000)
    return check(slope(linear_ngd["log_gap"].during(200, 1000), against=path), near(-1, within=0.01))


@claim(
    "ext_linear_baseline",
    says="The logarithm of the loss falls by 1 / c = 0.5 in every Polyak step in linear logistic regression: its slope "
    "against t from iteration 50 to 500",
    basis=DERIVED,
    source=POLYAK_GAP,
    scales=FULL_SCALES,
)
def polyak_loss(linear_polyak: Results) -> Check:
    return check(slope(linear_polyak["log_gap"].during(50, 500)), near(-0.5, within_percent=1))

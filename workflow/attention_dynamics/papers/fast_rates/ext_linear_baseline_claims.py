"""Claims about linear logistic regression with the max-margin solution of self-attention, and comparisons of the two.

Both trainings begin at zero. In logistic regression the head v plays the role of W, and is compared with it.
"""

import numpy as np

from attention_dynamics.claims.claim import CHOSEN, DERIVED, FULL_SCALES, claim
from attention_dynamics.claims.expectation import Check, at_least, check, near
from attention_dynamics.papers.fast_rates.derivations import PARALLEL_STEPS, POLYAK_GAP
from attention_dynamics.run import Run, Runs
from attention_dynamics.series.statistics import slope
from attention_dynamics.types import Time

LINK = "abstract: 'linking it more closely to the phenomena observed in linear logistic regression'"
GAP = "once W has the direction of W_mm the gap is C exp(-|W| / |W_mm|)"
GD_GROWTH = f"{GAP}, so that a step of GD adds eta gap / |W_mm| to |W|, and |W| = |W_mm| ln t + constant"

# Name of a run of self-attention -> first and last iteration of the window in which its rate is fitted, and the time
# scale of the fit. linear_<run> is logistic regression with the same optimizer. The first start of a run of
# self-attention is W(0) = 0.
WINDOWS: dict[str, tuple[int, int, Time]] = {
    "gd": (1000, 10000, "log"),
    "ngd": (200, 1000, "linear"),
    "polyak": (50, 500, "linear"),
}


@claim(
    says="Late in training the loss gap of self-attention falls at the rate of linear logistic regression: slope of "
    "ln(L - inf L) against ln t from iteration 1000 to 10000 under GD, against t from 200 to 1000 under NGD and from "
    "50 to 500 under the Polyak step, that of attention over that of logistic regression",
    basis=DERIVED,
    source=f"{GAP}, with the same W_mm for both; {LINK}; the tolerance is ours",
    scales=FULL_SCALES,
)
def same_rate(runs: Runs) -> Check:
    ratios = []
    for run, (first, last, time) in WINDOWS.items():
        attention = runs[run]["log_gap"].starts(0).during(first, last)
        linear = runs[f"linear_{run}"]["log_gap"].during(first, last)
        ratios.append(slope(attention, time) / slope(linear, time))
    return check(ratios, near(1, within_percent=5))


@claim(
    says="Self-attention and linear logistic regression end in the same direction: cosine of their W at the end, under "
    "GD, NGD and the Polyak step",
    basis=CHOSEN,
    source=f"{LINK}; the threshold is ours",
    scales=FULL_SCALES,
)
def same_direction(runs: Runs) -> Check:
    cosines = []
    for run in WINDOWS:
        W = runs[run].trajectory["W"][-1, :, 0]
        v = runs[f"linear_{run}"].trajectory["v"][-1, :, 0]
        cosines.append(np.vecdot(W, v) / np.linalg.norm(W, axis=-1) / np.linalg.norm(v, axis=-1))
    return check(cosines, at_least(0.99))


@claim(
    says="The norm of W grows like |W_mm| ln t in linear logistic regression under GD: slope of |W| / |W_mm| against "
    "ln t from iteration 1000 to 10000",
    basis=DERIVED,
    source=f"{GD_GROWTH}; the tolerance is ours",
    scales=FULL_SCALES,
)
def gd_norm(linear_gd: Run) -> Check:
    return check(slope(linear_gd["scaled_norm_w_mm"].during(1000, 10000), "log"), near(1, within=0.05))


@claim(
    says="The loss falls like 1 / t in linear logistic regression under GD: log-log slope from iteration 1000 to 10000",
    basis=DERIVED,
    source=f"{GD_GROWTH}; the tolerance is ours",
    scales=FULL_SCALES,
)
def gd_loss(linear_gd: Run) -> Check:
    return check(slope(linear_gd["log_gap"].during(1000, 10000), "log"), near(-1, within=0.05))


@claim(
    says="The logarithm of the loss falls by eta / |W_mm| in every step of NGD in linear logistic regression: slope of "
    "ln L against eta t / |W_mm| from iteration 200 to 1000",
    basis=DERIVED,
    source=f"{GAP}; {PARALLEL_STEPS}",
    scales=FULL_SCALES,
)
def ngd_loss(linear_ngd: Run) -> Check:
    path = linear_ngd["scaled_path_w_mm"].during(200, 1000)
    return check(slope(linear_ngd["log_gap"].during(200, 1000), against=path), near(-1, within=0.01))


@claim(
    says="The logarithm of the loss falls by 1 / c = 0.5 in every Polyak step in linear logistic regression: its slope "
    "against t from iteration 50 to 500",
    basis=DERIVED,
    source=POLYAK_GAP,
    scales=FULL_SCALES,
)
def polyak_loss(linear_polyak: Run) -> Check:
    return check(slope(linear_polyak["log_gap"].during(50, 500)), near(-0.5, within_percent=1))

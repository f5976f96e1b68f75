"""Claims about Fig 2: training W alone, nearly orthogonal tokens.

The runs start from W(0) = 0 and from two random W(0); the figure, and all claims, are about the first of these starts.
A rate is measured from the iteration at which it is reached: 200 for NGD, 1000 for GD, 50 for the Polyak step.
"""

import numpy as np

from attention_dynamics.claims.claim import CHOSEN, DERIVED, FULL_SCALES, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check, near
from attention_dynamics.papers.fast_rates.derivations import (
    ALIGNED,
    CAPTION,
    INDEPENDENT,
    NORM_BELOW,
    PARALLEL_STEPS,
    POLYAK_GAP,
    SATURATION,
    SECTION_5,
)
from attention_dynamics.papers.fast_rates.iterations import iterations_ratio
from attention_dynamics.run import Run
from attention_dynamics.series.series import Series
from attention_dynamics.series.statistics import fit_quality, largest_ratio, slope, smallest


def _from_zero(run: Run, series: str) -> Series:
    """Return a series of the trajectories that start from W(0) = 0, one for each data set."""
    return run[series].starts(0)


# NGD: the norm of W, and its part along W_mm.


@claim(
    "fig2",
    says="The norm of W grows by the step size in every iteration of NGD: slope of |W| against t from iteration 200 to "
    "1000, with step size 0.5",
    basis=DERIVED,
    source=f"{PARALLEL_STEPS}; caption of Fig 2: the 'norm growth of W' and eq. w-norm-org {CAPTION}",
    scales=FULL_SCALES,
)
def norm_grows_by_eta(ngd: Run) -> Check:
    return check(slope(_from_zero(ngd, "norm_p").during(200, 1000)), near(0.5, within_percent=0.5))


@claim(
    "fig2",
    says="The norm of W grows at least linearly under NGD: |W(t)| minus eta t / (2 B^2 |W_mm|) - |W(0)|, with B the "
    "largest norm of a token, smallest over all iterations",
    basis=DERIVED,
    source=f"eq. w-norm-org by its name, with a constant derived here: {NORM_BELOW}",
)
def norm_lower_bound(ngd: Run) -> Check:
    return check(smallest(_from_zero(ngd, "norm_above_lower").during(1, 1000)), at_least(0))


@claim(
    "fig2",
    says="The NGD direction always has an inner product of at least 1 / (2 B^2) with W_mm, B being the largest norm of "
    "a token: smallest ratio to that bound over all iterations",
    basis=DERIVED,
    source=ALIGNED,
)
def always_aligned(ngd: Run) -> Check:
    return check(smallest(_from_zero(ngd, "alignment_over_bound").during(0, 999)), at_least(1))


# NGD: saturation.


@claim(
    "fig2",
    says="Attention saturates exponentially in |W| under NGD: slope of ln(1 - s_opt), with s_opt the attention on the "
    "optimal token of the worst input, against |W| / |W_mm| from iteration 200 to 1000",
    basis=DERIVED,
    source=f"{SATURATION}; caption of Fig 2: the 'softmax score saturation' and Lemma 1 {CAPTION}",
    scales=FULL_SCALES,
)
def saturates_with_the_norm(ngd: Run) -> Check:
    saturation = _from_zero(ngd, "log_nonoptimal_largest").during(200, 1000)
    norm = _from_zero(ngd, "scaled_norm_w_mm").during(200, 1000)
    return check(slope(saturation, against=norm), near(-1, within=0.01))


@claim(
    "fig2",
    says="Attention saturates exponentially in t under NGD: slope of ln(1 - s_opt), with s_opt the attention on the "
    "optimal token of the worst input, against eta t / |W_mm| from iteration 200 to 1000",
    basis=DERIVED,
    source=f"{SATURATION}; {PARALLEL_STEPS}; caption of Fig 2: the 'softmax score saturation' and Lemma 1 {CAPTION}",
    scales=FULL_SCALES,
)
def saturates_exponentially(ngd: Run) -> Check:
    saturation = _from_zero(ngd, "log_nonoptimal_largest").during(200, 1000)
    path = _from_zero(ngd, "scaled_path_w_mm").during(200, 1000)
    return check(slope(saturation, against=path), near(-1, within=0.01))


# NGD: the direction of W.


@claim(
    "fig2",
    says="The direction of W approaches that of W_mm at least like t^(-1/2) under NGD: log-log slope of the distance "
    "of the unit vectors from iteration 200 to 1000",
    basis=CHOSEN,
    source=f"caption of Fig 2: the 'directional alignment with W_mm' and Theorem 1 {CAPTION}; the display of the "
    "theorem is not known, and the exponent is recalled",
    scales=FULL_SCALES,
)
def direction_rate(ngd: Run) -> Check:
    log_distance = _from_zero(ngd, "distance_w_mm").during(200, 1000).log()
    return check(slope(log_distance, time="log"), at_most(-0.5))


@claim(
    "fig2",
    says="One minus the cosine of W and W_mm falls faster than ln(t)^2 / t under NGD: largest ratio of "
    "(1 - cos) t / ln(t)^2 to that before, at iterations 10, 100, 300 and 1000",
    basis=CHOSEN,
    source="Theorem 1, 'IB rate'; its display is not known, and the form is recalled",
    scales=FULL_SCALES,
)
def direction_rate_with_logarithm(ngd: Run) -> Check:
    misalignment = _from_zero(ngd, "misalignment_w_mm")
    ratios = largest_ratio(misalignment, [10, 100, 300, 1000], times=lambda t: t / np.log(t) ** 2)
    return check(ratios, at_most(0.999))


# GD, as a contrast.


@claim(
    "fig2",
    says="The norm of W under GD is linear in ln t: R^2 of the line from iteration 1000 to 10000",
    basis=CHOSEN,
    source="GD, as a contrast to Theorem 1; the threshold is ours",
    scales=FULL_SCALES,
)
def gd_norm_is_a_line(gd: Run) -> Check:
    norm = _from_zero(gd, "scaled_norm_w_mm").during(1000, 10000)
    return check(fit_quality(norm, time="log"), at_least(0.999))


# The Polyak step, c = 2.


@claim(
    "fig2",
    says="The logarithm of the loss gap L - inf L falls by 1 / c = 0.5 in every Polyak step: its slope against t from "
    "iteration 50 to 500",
    basis=DERIVED,
    source=POLYAK_GAP,
    scales=FULL_SCALES,
)
def polyak_linear_rate(polyak: Run) -> Check:
    return check(slope(_from_zero(polyak, "log_gap").during(50, 500)), near(-0.5, within_percent=1))


@claim(
    "fig2",
    says="The norm of W grows by |W_mm| / c, with c = 2, in every Polyak step: slope of |W| / |W_mm| against t from "
    "iteration 50 to 500",
    basis=DERIVED,
    source=POLYAK_GAP,
    scales=FULL_SCALES,
)
def polyak_norm(polyak: Run) -> Check:
    return check(slope(_from_zero(polyak, "scaled_norm_w_mm").during(50, 500)), near(0.5, within_percent=1))


# The order of the optimizers. The numbers of iterations depend on our step sizes.


@claim(
    "fig2",
    says="The Polyak step turns W to W_mm in fewer iterations than NGD: iterations until the cosine stays above 0.99, "
    "those of NGD (step size 0.5) over those of the Polyak step",
    basis=CHOSEN,
    source=f"25 to 33 and 3 to 6 iterations {INDEPENDENT}; the threshold and the step sizes are ours",
    scales=FULL_SCALES,
)
def direction_ngd_after_polyak(ngd: Run, polyak: Run) -> Check:
    slower, faster = (_from_zero(run, "correlation_w_mm") for run in (ngd, polyak))
    return check(iterations_ratio(slower, faster), at_least(1.01))


@claim(
    "fig2",
    says="NGD turns W to W_mm in fewer iterations than GD: iterations until the cosine stays above 0.99, those of GD "
    "(step size 10) over those of NGD (0.5)",
    basis=CHOSEN,
    source=f"{SECTION_5}; the threshold is ours, below the ratios {INDEPENDENT}, and so are the step sizes",
    scales=FULL_SCALES,
)
def direction_gd_after_ngd(gd: Run, ngd: Run) -> Check:
    slower, faster = (_from_zero(run, "correlation_w_mm") for run in (gd, ngd))
    return check(iterations_ratio(slower, faster), at_least(2))


@claim(
    "fig2",
    says="NGD selects the optimal tokens in fewer iterations than GD: iterations until the mean attention on the "
    "optimal tokens stays above 0.99, those of GD (step size 10) over those of NGD (0.5)",
    basis=CHOSEN,
    source=f"{SECTION_5}; the threshold is ours, below the ratios {INDEPENDENT}, and so are the step sizes",
    scales=FULL_SCALES,
)
def attention_gd_after_ngd(gd: Run, ngd: Run) -> Check:
    slower, faster = (_from_zero(run, "optimal") for run in (gd, ngd))
    return check(iterations_ratio(slower, faster), at_least(8))


# The loss falls. The gap L - inf L is used, because L has no digits left where it is nearly inf L.

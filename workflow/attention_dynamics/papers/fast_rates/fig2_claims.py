"""Claims about Fig 2: training W alone, nearly orthogonal tokens.

The runs start from W(0) = 0 and from two random W(0); the figure, and all claims, are about the first of these starts.
A rate is measured from the iteration on at which it is reached: 200 of NGD, 1000 of GD, 50 of the Polyak step.
"""

import numpy as np

from attention_dynamics.claims.claim import CHOSEN, DERIVED, FULL_SCALES, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check, near
from attention_dynamics.claims.results import Results
from attention_dynamics.claims.series import Series
from attention_dynamics.claims.statistics import fit_quality, largest_increase, largest_ratio, slope, smallest
from attention_dynamics.papers.fast_rates.iterations import iterations_ratio

# The smallest cosine of W and W_mm that is expected of NGD, by the number of iterations.
COSINES = {30: 0.98, 100: 0.998, 300: 0.9995}


def _from_zero(run: Results, series: str) -> Series:
    """Return a series of the trajectories that start from W(0) = 0, one for each data set."""
    return run[series].starts(0)


@claim(
    "fig2",
    says="W_mm meets its constraints: the smallest margin of each data set",
    basis=DERIVED,
    source="definition of W_mm; checks the solver",
)
def svm_margin(ngd: Results) -> Check:
    return check(ngd.reference("w_mm", "smallest_margin"), near(1, within=1e-8))


# NGD: the norm of W, and its part along W_mm.


@claim(
    "fig2",
    says="NGD: |W| grows by the step size, 0.5, in every iteration of [200, 1000]",
    basis=DERIVED,
    source="eq. w-norm-org",
    scales=FULL_SCALES,
)
def norm_grows_by_eta(ngd: Results) -> Check:
    return check(slope(_from_zero(ngd, "norm_p").during(200, 1000)), near(0.5, within_percent=0.5))


@claim(
    "fig2",
    says="NGD: |W(1000)| is at least 0.99 of 1000 step sizes",
    basis=CHOSEN,
    source="eq. w-norm-org",
    scales=FULL_SCALES,
)
def norm_at_1000(ngd: Results) -> Check:
    return check(_from_zero(ngd, "norm_p").at(1000), at_least(495))


@claim(
    "fig2",
    says="NGD: |W(t)| is at most eta t + |W(0)| at every iterate, up to rounding",
    basis=DERIVED,
    source="eq. w-norm-org; the triangle inequality, so this checks the engine",
)
def norm_upper_bound(ngd: Results) -> Check:
    return check(smallest(_from_zero(ngd, "norm_below_upper")), at_least(-1e-12))


@claim(
    "fig2",
    says="NGD: |W(t)| is at least eta t / (2 B^2 |W_mm|) - |W(0)| at every iterate",
    basis=DERIVED,
    source="eq. w-norm-org by name; the constant is derived here",
)
def norm_lower_bound(ngd: Results) -> Check:
    return check(smallest(_from_zero(ngd, "norm_above_lower").during(1, 1000)), at_least(0))


@claim(
    "fig2",
    says="NGD: the descent direction has inner product at least 1 / (2 B^2) with W_mm at every iterate; "
    "smallest multiple",
    basis=DERIVED,
    source="derived here, for equal scores of the other tokens",
)
def always_aligned(ngd: Results) -> Check:
    return check(smallest(_from_zero(ngd, "alignment_over_bound").during(0, 999)), at_least(1))


# NGD: saturation.


@claim(
    "fig2",
    says="NGD: ln max_i(1 - s_i,opt) falls with |W| / |W_mm| at slope -1 in [200, 1000]",
    basis=DERIVED,
    source="Lemma 1",
    scales=FULL_SCALES,
)
def saturates_with_the_norm(ngd: Results) -> Check:
    saturation = _from_zero(ngd, "log_nonoptimal_largest").during(200, 1000)
    norm = _from_zero(ngd, "scaled_norm_w_mm").during(200, 1000)
    return check(slope(saturation, against=norm), near(-1, within=0.01))


@claim(
    "fig2",
    says="NGD: the same against eta t / |W_mm|, so that 1 - s_opt falls exponentially in t",
    basis=DERIVED,
    source="Lemma 1",
    scales=FULL_SCALES,
)
def saturates_exponentially(ngd: Results) -> Check:
    saturation = _from_zero(ngd, "log_nonoptimal_largest").during(200, 1000)
    path = _from_zero(ngd, "scaled_path_w_mm").during(200, 1000)
    return check(slope(saturation, against=path), near(-1, within=0.01))


# NGD: the direction of W.


@claim(
    "fig2",
    says="NGD: the distance of the directions of W and W_mm falls at least like t^(-1/2) in [200, 1000]: log-log slope",
    basis=CHOSEN,
    source="Theorem 1; its display is not known, the exponent is recalled",
    scales=FULL_SCALES,
)
def direction_rate(ngd: Results) -> Check:
    log_distance = _from_zero(ngd, "distance_w_mm").during(200, 1000).log()
    return check(slope(log_distance, time="log"), at_most(-0.5))


@claim(
    "fig2",
    says="NGD: (1 - cos) t / ln^2 t falls from 10 to 100, 300 and 1000; largest ratio of neighbours",
    basis=CHOSEN,
    source="Theorem 1; its display is not known, the form is recalled",
    scales=FULL_SCALES,
)
def direction_rate_with_logarithm(ngd: Results) -> Check:
    misalignment = _from_zero(ngd, "misalignment_w_mm")
    ratios = largest_ratio(misalignment, [10, 100, 300, 1000], times=lambda t: t / np.log(t) ** 2)
    return check(ratios, at_most(0.999))


@claim(
    "fig2",
    says="NGD: cosine of W and W_mm after {case} iterations",
    cases=list(COSINES),
    basis=CHOSEN,
    source="Theorem 1",
    scales=FULL_SCALES,
)
def cosine_at(ngd: Results, case: int) -> Check:
    return check(_from_zero(ngd, "correlation_w_mm").at(case), at_least(COSINES[case]))


# GD, as a contrast.


@claim(
    "fig2",
    says="GD: |W| / |W_mm| grows like ln t in [1000, 10000]: slope",
    basis=CHOSEN,
    source="GD, as a contrast to Theorem 1; a heuristic gives 1 in the limit",
    scales=FULL_SCALES,
)
def gd_norm_logarithmic(gd: Results) -> Check:
    norm = _from_zero(gd, "scaled_norm_w_mm").during(1000, 10000)
    return check(slope(norm, time="log"), near(1.02, within=0.03))


@claim(
    "fig2",
    says="GD: R^2 of that line",
    basis=CHOSEN,
    source="GD, as a contrast to Theorem 1",
    scales=FULL_SCALES,
)
def gd_norm_is_a_line(gd: Results) -> Check:
    norm = _from_zero(gd, "scaled_norm_w_mm").during(1000, 10000)
    return check(fit_quality(norm, time="log"), at_least(0.999))


@claim(
    "fig2",
    says="GD: the mean of 1 - s_opt falls like 1 / t in [1000, 10000]: log-log slope",
    basis=CHOSEN,
    source="GD, as a contrast to Lemma 1; a heuristic gives -1 in the limit",
    scales=FULL_SCALES,
)
def gd_saturates_like_1_over_t(gd: Results) -> Check:
    saturation = _from_zero(gd, "log_nonoptimal").during(1000, 10000)
    return check(slope(saturation, time="log"), near(-1.02, within=0.05))


@claim(
    "fig2",
    says="GD: the distance of the directions falls like a power of ln t in [1000, 10000]: exponent",
    basis=CHOSEN,
    source="GD, as a contrast to Theorem 1; range seen on five other data sets",
    scales=FULL_SCALES,
)
def gd_direction_logarithmic(gd: Results) -> Check:
    log_distance = _from_zero(gd, "distance_w_mm").during(1000, 10000).log()
    return check(slope(log_distance, time="log_log"), near(-0.8, within=0.3))


# The Polyak step, c = 2.


@claim(
    "fig2",
    says="Polyak step: ln(loss gap) falls by 1/c, 0.5, in every iteration of [50, 500]",
    basis=DERIVED,
    source="definition of the step and of the gap",
    scales=FULL_SCALES,
)
def polyak_linear_rate(polyak: Results) -> Check:
    return check(slope(_from_zero(polyak, "log_gap").during(50, 500)), near(-0.5, within_percent=1))


@claim(
    "fig2",
    says="Polyak step: |W| grows by |W_mm| / c in every iteration of [50, 500]: slope over |W_mm|",
    basis=DERIVED,
    source="definition of the step and of the gap",
    scales=FULL_SCALES,
)
def polyak_norm(polyak: Results) -> Check:
    return check(slope(_from_zero(polyak, "scaled_norm_w_mm").during(50, 500)), near(0.5, within_percent=1))


# The order of the optimizers. The numbers of iterations depend on our step sizes.


@claim(
    "fig2",
    says="iterations until the cosine stays above 0.99: NGD (step size 0.5) over Polyak step",
    basis=CHOSEN,
    source="seen with our step sizes on five other data sets",
    scales=FULL_SCALES,
)
def direction_ngd_after_polyak(ngd: Results, polyak: Results) -> Check:
    slower, faster = (_from_zero(run, "correlation_w_mm") for run in (ngd, polyak))
    return check(iterations_ratio(slower, faster), at_least(1.01))


@claim(
    "fig2",
    says="iterations until the cosine stays above 0.99: GD (step size 10) over NGD (0.5)",
    basis=CHOSEN,
    source="Section 5, (S)NGD converges faster than (S)GD; the ratio was seen on five other data sets",
    scales=FULL_SCALES,
)
def direction_gd_after_ngd(gd: Results, ngd: Results) -> Check:
    slower, faster = (_from_zero(run, "correlation_w_mm") for run in (gd, ngd))
    return check(iterations_ratio(slower, faster), at_least(2))


@claim(
    "fig2",
    says="iterations until the mean of s_opt stays above 0.99: NGD (step size 0.5) over Polyak step",
    basis=CHOSEN,
    source="seen with our step sizes on five other data sets",
    scales=FULL_SCALES,
)
def attention_ngd_after_polyak(ngd: Results, polyak: Results) -> Check:
    slower, faster = (_from_zero(run, "optimal") for run in (ngd, polyak))
    return check(iterations_ratio(slower, faster), at_least(1.01))


@claim(
    "fig2",
    says="iterations until the mean of s_opt stays above 0.99: GD (step size 10) over NGD (0.5)",
    basis=CHOSEN,
    source="Section 5, (S)NGD converges faster than (S)GD; the ratio was seen on five other data sets",
    scales=FULL_SCALES,
)
def attention_gd_after_ngd(gd: Results, ngd: Results) -> Check:
    slower, faster = (_from_zero(run, "optimal") for run in (gd, ngd))
    return check(iterations_ratio(slower, faster), at_least(8))


# The loss falls. Its gap to the infimum loses no digits where the loss itself is nearly at it.


@claim(
    "fig2",
    says="GD: the loss never rises between recorded iterates (every tenth from 100, every hundredth from 1000); "
    "largest change of ln(loss gap)",
    basis=CHOSEN,
    source="seen with our step sizes on five other data sets",
    scales=FULL_SCALES,
)
def loss_falls_gd(gd: Results) -> Check:
    return check(largest_increase(_from_zero(gd, "log_gap")).max(), at_most(0))


@claim(
    "fig2",
    says="NGD: the loss never rises between recorded iterates; largest change of ln(loss gap)",
    basis=CHOSEN,
    source="seen with our step sizes on five other data sets",
    scales=FULL_SCALES,
)
def loss_falls_ngd(ngd: Results) -> Check:
    return check(largest_increase(_from_zero(ngd, "log_gap")).max(), at_most(0))


@claim(
    "fig2",
    says="Polyak step: the loss never rises between recorded iterates; largest change of ln(loss gap)",
    basis=CHOSEN,
    source="seen with our step sizes on five other data sets",
    scales=FULL_SCALES,
)
def loss_falls_polyak(polyak: Results) -> Check:
    return check(largest_increase(_from_zero(polyak, "log_gap")).max(), at_most(0))

"""Claims about Fig 2: training W alone, nearly orthogonal tokens.

The runs start from W(0) = 0 and from two random W(0). The figure and all claims are about the start W(0) = 0. Unless a
claim gives another window, rates are fitted after the transient: from iteration 200 for NGD, 1000 for GD and 50 for the
Polyak step.
"""

import numpy as np

from attention_dynamics.claims.claim import CHOSEN, DERIVED, FULL_SCALES, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check, check_cases, near
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
from attention_dynamics.run import Run
from attention_dynamics.series.confidence import Estimate, Sample, estimate_mean
from attention_dynamics.series.series import Series
from attention_dynamics.series.statistics import first_step_staying_above, fit_quality, largest_ratio, slope, smallest


def _from_zero(run: Run, series: str) -> Series:
    """Return a series of the trajectories that start from W(0) = 0, one for each data set."""
    return run[series].starts(0)


# Name of a run -> first, middle and last iteration of the window whose two halves ``_straightness`` compares.
HALVES = {"ngd": (200, 600, 1000), "polyak": (50, 275, 500)}


def _straightness(series: Series, first: int, middle: int, last: int) -> Sample:
    """Return, for each data set, the slope of a series from middle to last over the slope from first to middle."""
    slopes = [slope(series.during(*half)) for half in ((first, middle), (middle, last))]
    return Sample.of(slopes[1] / slopes[0], "data set")


def _middle(first: int, middle: int, last: int) -> float:
    """Return the mean of 1, the ``_straightness`` of a line in t, and of the ``_straightness`` of a line in ln t."""
    logarithm = np.log(last / middle) / (last - middle) / (np.log(middle / first) / (middle - first))
    return float((1 + logarithm) / 2)


def _power(series: Series, first: int, last: int, sign: int = 1, logarithmic: bool = False) -> Sample:
    """Return ``sign`` times the slope of ln(series) over ln(t) from step ``first`` to ``last``, for each data set.

    logarithmic: the series is a logarithm already.
    """
    during = series.during(first, last)
    return Sample.of(sign * slope(during if logarithmic else during.log(), time="log"), "data set")


def _above(sample: Sample, bound: float) -> Estimate:
    """Return the estimated mean of a sample minus ``bound``."""
    return estimate_mean(Sample(sample.values - bound, sample.draws, sample.unit))


# Claims about the norm of W under NGD, and its part along W_mm.


@claim(
    says="The norm of W grows by the step size in every iteration of NGD: slope of |W| against t from iteration 200 to "
    "1000, with step size 0.5",
    basis=DERIVED,
    source=f"{PARALLEL_STEPS}; caption of Fig 2: the 'norm growth of W' and eq. w-norm-org {CAPTION}",
    scales=FULL_SCALES,
)
def norm_grows_by_eta(ngd: Run) -> Check:
    return check(slope(_from_zero(ngd, "norm_W").during(200, 1000)), near(0.5, within_percent=0.5))


@claim(
    statement="w-norm",
    says="The norm of W grows at least linearly under NGD: |W(t)| minus eta t / (2 B^2 |W_mm|) - |W(0)|, with B the "
    "largest norm of a token, smallest over all iterations",
    basis=DERIVED,
    source=f"eq. w-norm-org by its name, with a constant derived here: {NORM_BELOW}",
)
def norm_lower_bound(ngd: Run) -> Check:
    return check(smallest(_from_zero(ngd, "norm_above_lower").during(1, 1000)), at_least(0))


@claim(
    says="The NGD direction always has an inner product of at least 1 / (2 B^2) with W_mm, B being the largest norm of "
    "a token: smallest ratio to that bound over all iterations",
    basis=DERIVED,
    source=ALIGNED,
)
def always_aligned(ngd: Run) -> Check:
    return check(smallest(_from_zero(ngd, "alignment_over_bound").during(0, 999)), at_least(1))


# Claims about the saturation of attention under NGD.


@claim(
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
    says="Attention saturates by eta / |W_mm| in every iteration of NGD: slope of ln(1 - s_opt), with s_opt the "
    "attention on the optimal token of the worst input, against eta t / |W_mm| from iteration 200 to 1000",
    basis=DERIVED,
    source=f"{SATURATION}; {PARALLEL_STEPS}; caption of Fig 2: the 'softmax score saturation' and Lemma 1 {CAPTION}",
    scales=FULL_SCALES,
)
def saturation_slope(ngd: Run) -> Check:
    saturation = _from_zero(ngd, "log_nonoptimal_largest").during(200, 1000)
    path = _from_zero(ngd, "scaled_path_w_mm").during(200, 1000)
    return check(slope(saturation, against=path), near(-1, within=0.01))


@claim(
    statement="lemma-1",
    says="Attention saturates exponentially in t under NGD, and not like a power: slope of ln(1 - s_opt), with s_opt "
    "the attention on the optimal token of the worst input, over iterations 600 to 1000 over that over 200 to 600, "
    "mean over data sets; 1 for a line in t, 0.465 for a power of t",
    basis=CHOSEN,
    source="Lemma 1, whose statement is not known; summary by others: 'exponentially fast'; the bound is the middle of "
    "both",
    scales=FULL_SCALES,
)
def saturates_exponentially(ngd: Run) -> Check:
    straight = _straightness(_from_zero(ngd, "log_nonoptimal_largest"), *HALVES["ngd"])
    return check(estimate_mean(straight), at_least(_middle(*HALVES["ngd"])))


@claim(
    statement="fig2-matches-theory",
    says="NGD matches the theory in the forms used here: 1 - s_opt of the worst input falls exponentially and |W| "
    "grows linearly in t (slope over iterations 600 to 1000 over that over 200 to 600, minus the middle between a line "
    "in t and in ln t), and the distance of the directions falls at least like t^(-1/2) (-1/2 minus its log-log slope)",
    basis=CHOSEN,
    source="caption of Fig 2; the forms are recalled or from a summary by others",
    scales=FULL_SCALES,
)
def matches_theory(ngd: Run) -> Check:
    bend = _middle(*HALVES["ngd"])
    return check(
        [
            _above(_straightness(_from_zero(ngd, "log_nonoptimal_largest"), *HALVES["ngd"]), bend),
            _above(_straightness(_from_zero(ngd, "norm_W"), *HALVES["ngd"]), bend),
            _above(_power(_from_zero(ngd, "distance_w_mm"), 200, 1000, sign=-1), 0.5),
        ],
        at_least(0),
    )


@claim(
    statement="abstract-rates",
    says="NGD and the Polyak step reach W_mm at finite-time rates: the distance of the directions falls at least like "
    "t^(-1/2) (-1/2 minus its log-log slope), and 1 - s_opt of the worst input falls exponentially in t (slope over "
    "the second half of the iterations over that over the first, minus the middle between a line in t and in ln t); "
    "first NGD, iterations 200 to 1000, then the Polyak step, 50 to 500",
    basis=CHOSEN,
    source="abstract; the rates are recalled or from a summary by others",
    scales=FULL_SCALES,
)
def finite_time_rates(ngd: Run, polyak: Run) -> Check:
    found = []
    for run, halves in ((ngd, HALVES["ngd"]), (polyak, HALVES["polyak"])):
        found.append(_above(_power(_from_zero(run, "distance_w_mm"), halves[0], halves[2], sign=-1), 0.5))
        found.append(_above(_straightness(_from_zero(run, "log_nonoptimal_largest"), *halves), _middle(*halves)))
    return check(found, at_least(0))


# Claims about the direction of W under NGD.


@claim(
    statement="theorem-1",
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
    statement="theorem-1",
    says="One minus the cosine of W and W_mm falls faster than ln(t)^2 / t under NGD: largest ratio of "
    "(1 - cos) t / ln(t)^2 to that before, at iterations 10, 100, 300 and 1000",
    basis=CHOSEN,
    source="Theorem 1, 'IB rate'; its display is not known, and the form is recalled",
    scales=FULL_SCALES,
)
def direction_rate_with_logarithm(ngd: Run) -> Check:
    misalignment = _from_zero(ngd, "misalignment_w_mm")
    ratios = largest_ratio(misalignment, [10, 100, 300, 1000], times=lambda t: t / np.log(t) ** 2)
    return check(ratios, at_most(1))


# Claims about GD, and about faster optimizers.


@claim(
    statement="abstract-gd-direction",
    says="GD turns W to W_mm: one minus their cosine after 10,000 iterations over that after 1000, in each of ten data "
    "sets",
    basis=CHOSEN,
    source="abstract, on earlier work; of a limit only that the angle keeps falling can be measured",
    scales=FULL_SCALES,
)
def gd_turns(gd: Run) -> Check:
    misalignment = _from_zero(gd, "misalignment_w_mm")
    return check(misalignment.at(10000) / misalignment.at(1000), at_most(1))


@claim(
    statement="abstract-accelerate",
    says="W converges in direction with a larger power of t than under GD: log-log slope of the distance of the "
    "directions minus that under GD, for NGD over iterations 100 to 1000 and for the Polyak step over 50 to 500",
    basis=CHOSEN,
    source="abstract; that the power of t is meant, which no step size changes in the limit, is our reading",
    scales=FULL_SCALES,
)
def parameters_converge_faster(gd: Run, ngd: Run, polyak: Run) -> Check:
    cases = {}
    for name, run, first, last in (("NGD", ngd, 100, 1000), ("Polyak step", polyak, 50, 500)):
        own, other = (_power(_from_zero(one, "distance_w_mm"), first, last) for one in (run, gd))
        cases[name] = Sample(own.values - other.values, own.draws, own.unit)
    return check_cases(cases, at_most(0))


@claim(
    statement="section-5-faster",
    says="NGD converges faster than GD: log-log slope over iterations 200 to 1000 minus that under GD, of the loss "
    "gap, of 1 - s_opt and of the distance of the directions",
    basis=CHOSEN,
    source=f"{SECTION_5}; that the power of t is meant is our reading",
    scales=FULL_SCALES,
)
def ngd_ahead_of_gd(gd: Run, ngd: Run) -> Check:
    cases = {}
    for name, series in (("loss", "log_gap"), ("attention", "log_nonoptimal"), ("direction", "distance_w_mm")):
        logarithmic = series.startswith("log_")
        own, other = (_power(_from_zero(run, series), 200, 1000, logarithmic=logarithmic) for run in (ngd, gd))
        cases[name] = Sample(own.values - other.values, own.draws, own.unit)
    return check_cases(cases, at_most(0))


@claim(
    says="The norm of W under GD is linear in ln t: R^2 of the line from iteration 1000 to 10000",
    basis=CHOSEN,
    source="GD, as a contrast to Theorem 1; the threshold is ours",
    scales=FULL_SCALES,
)
def gd_norm_is_a_line(gd: Run) -> Check:
    norm = _from_zero(gd, "scaled_norm_w_mm").during(1000, 10000)
    return check(fit_quality(norm, time="log"), at_least(0.999))


# Claims about the Polyak step with c = 2.


@claim(
    says="The logarithm of the loss gap L - inf L falls by 1 / c = 0.5 in every Polyak step: its slope against t from "
    "iteration 50 to 500",
    basis=DERIVED,
    source=POLYAK_GAP,
    scales=FULL_SCALES,
)
def polyak_linear_rate(polyak: Run) -> Check:
    return check(slope(_from_zero(polyak, "log_gap").during(50, 500)), near(-0.5, within_percent=1))


@claim(
    says="The norm of W grows by |W_mm| / c, with c = 2, in every Polyak step: slope of |W| / |W_mm| against t from "
    "iteration 50 to 500",
    basis=DERIVED,
    source=POLYAK_GAP,
    scales=FULL_SCALES,
)
def polyak_norm(polyak: Run) -> Check:
    return check(slope(_from_zero(polyak, "scaled_norm_w_mm").during(50, 500)), near(0.5, within_percent=1))


# Claim about the order of the optimizers only, because the numbers of iterations depend on our step sizes.


@claim(
    says="The Polyak step turns W to W_mm in fewer iterations than NGD: iterations until the cosine stays above 0.99, "
    "those of NGD (step size 0.5) over those of the Polyak step",
    basis=CHOSEN,
    source=f"25 to 33 and 3 to 6 iterations {INDEPENDENT}; the threshold and the step sizes are ours",
    scales=FULL_SCALES,
)
def direction_ngd_after_polyak(ngd: Run, polyak: Run) -> Check:
    slower, faster = (first_step_staying_above(_from_zero(run, "correlation_w_mm"), 0.99) for run in (ngd, polyak))
    return check(slower / faster, at_least(1.01))

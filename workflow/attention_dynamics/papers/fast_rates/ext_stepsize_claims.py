"""Claims about the extension of Fig 2 to other step sizes, and to random W(0) of three norms."""

import numpy as np

from attention_dynamics.claims.claim import CHOSEN, DERIVED, FULL_SCALES, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check, check_cases, equals, near
from attention_dynamics.papers.fast_rates.derivations import INDEPENDENT, SATURATION, SECTION_5
from attention_dynamics.papers.fast_rates.ext_stepsize import steps_to_forget
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.series.confidence import Sample, estimate_mean
from attention_dynamics.series.series import Series
from attention_dynamics.series.statistics import first_step_staying_above, slope

# Step sizes of the runs stepsize_gd and stepsize_ngd, which have a start for each step size, in this order.
STEP_SIZES = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000, 3000]
# The best step size is chosen on the first SELECTION data sets. Optimizers are compared on the other data sets.
SELECTION = 5
# Iteration at which GD sets the level that NGD has to reach.
REFERENCE = 1000
METRICS = {"loss": "log_gap", "attention": "log_nonoptimal", "direction": "misalignment_w_mm"}
# W(0) counts as forgotten once the cosine of W and W_mm stays at least LEVEL.
LEVEL = 0.99
# Index of the start of norm 10 in the problem's ``start_norms``.
FROM_TEN = 2


def _from_step_size(series: Series, smallest: float) -> Series:
    """Return the columns of the starts with a step size of at least ``smallest``, which is one of STEP_SIZES."""
    return series.starts(*range(STEP_SIZES.index(smallest), len(STEP_SIZES)))


@claim(
    says="Attention saturates exponentially in |W| under NGD, whatever the step size from 0.03 on: slope of ln(1 - "
    "s_opt), with s_opt the attention on the optimal token of the worst input, against |W| / |W_mm| from iteration 300 "
    "to 3000",
    basis=DERIVED,
    source=SATURATION,
    scales=FULL_SCALES,
)
def ngd_rate(stepsize_ngd: Run) -> Check:
    saturation = _from_step_size(stepsize_ngd["log_nonoptimal_largest"], 0.03).during(300, 3000)
    norm = stepsize_ngd["scaled_norm_w_mm"].during(300, 3000)
    return check(slope(saturation, against=norm), near(-1, within=0.01))


@claim(
    says="Much smaller steps of NGD turn W to W_mm, too: cosine after 3000 iterations with step size 0.3",
    basis=CHOSEN,
    source="Theorem 1, as opposed to the logarithm of GD; the threshold is ours",
    scales=FULL_SCALES,
)
def ngd_small_step_direction(stepsize_ngd: Run) -> Check:
    cosine = stepsize_ngd["correlation_w_mm"].starts(STEP_SIZES.index(0.3))
    return check(cosine.at(3000), at_least(0.9999))


@claim(
    says="GD with a large step still turns W to W_mm like a logarithm: cosine after 10000 iterations with step "
    "size 300",
    basis=CHOSEN,
    source="Theorem 1, as opposed to the logarithm of GD; the threshold is ours",
    scales=FULL_SCALES,
)
def gd_large_step_still_behind(stepsize_gd: Run) -> Check:
    cosine = stepsize_gd["correlation_w_mm"].starts(STEP_SIZES.index(300))
    return check(cosine.at(10000), at_most(0.9999))


# Claims about the iterations until W(0) is forgotten.


def _iterations_from_ten(run: Run) -> Array:
    """Return the iterations until W(0) of norm 10 is forgotten, (problems,)."""
    return first_step_staying_above(run["correlation_w_mm"].starts(FROM_TEN), LEVEL)


@claim(
    says="GD does not forget a random W(0) of norm 10 within 10000 iterations: iterations until the cosine of W and "
    "W_mm stays above 0.99, infinite where it does not",
    basis=CHOSEN,
    source=f"not reached {INDEPENDENT}",
    scales=FULL_SCALES,
)
def gd_iterations(gd: Run) -> Check:
    return check(_iterations_from_ten(gd), equals(np.inf))


@claim(
    says="{case} forgets a large W(0) once its share in W is small: iterations until the cosine of W and W_mm stays "
    "above 0.99 from W(0) of norm 10, over those after which W(0) plus steps along W_mm has this cosine, mean of the "
    "data sets",
    cases={"ngd": "NGD", "polyak": "The Polyak step"},
    basis=DERIVED,
    source="a random W(0) is nearly orthogonal to W_mm, so that the steps have to be 0.99 / sqrt(1 - 0.99^2) = 7.02 "
    "times as long as W(0); steps of NGD have the length eta, Polyak's |W_mm| / c; the tolerance is ours, chosen after "
    "seeing",
    scales=FULL_SCALES,
)
def forgets(ngd: Run, polyak: Run, case: str) -> Check:
    run = ngd if case == "NGD" else polyak
    expected = steps_to_forget(run, "w_mm", LEVEL)[:, FROM_TEN]
    ratios = Sample.of(_iterations_from_ten(run) / expected, "data set")
    return check(estimate_mean(ratios), near(1, within=0.1))


# Claims that compare the optimizers, each with its best step size, or from random starts.


@claim(
    statement="section-5-faster",
    says="With the best step size of each, NGD needs fewer iterations than GD: ln of the iterations until the loss "
    "gap, 1 - s_opt and the angle to W_mm are those of GD after 1000, over 1000, means over the three. The best step "
    "sizes, of twelve from 0.01 to 3000, have the smallest mean ln of the loss gap after 1000 iterations on five other "
    "data sets",
    basis=CHOSEN,
    source=f"{SECTION_5}; how it is measured is our reading",
    scales=FULL_SCALES,
)
def ngd_ahead_at_best_step(stepsize_gd: Run, stepsize_ngd: Run) -> Check:
    starts = [_best(run, "log_gap") for run in (stepsize_gd, stepsize_ngd)]
    cases = {name: _log_ratio(stepsize_gd, stepsize_ngd, starts, series) for name, series in METRICS.items()}
    return check_cases(cases, at_most(0))


@claim(
    statement="abstract-accelerate",
    says="With the best step size of each, NGD needs fewer iterations than GD until the angle to W_mm is that of GD "
    "after 1000: ln of their number over 1000. The best step sizes, of twelve from 0.01 to 3000, have the smallest "
    "mean ln of the angle's 1 - cos after 1000 iterations on five other data sets",
    basis=CHOSEN,
    source="abstract; how it is measured is our reading",
    scales=FULL_SCALES,
)
def fewer_iterations_at_best_step(stepsize_gd: Run, stepsize_ngd: Run) -> Check:
    starts = [_best(run, "misalignment_w_mm") for run in (stepsize_gd, stepsize_ngd)]
    return check(estimate_mean(_log_ratio(stepsize_gd, stepsize_ngd, starts, "misalignment_w_mm")), at_most(0))


@claim(
    statement="abstract-global",
    says="W turns to W_mm from W(0) = 0 and from random W(0) of norms 1 and 10, under GD, NGD and the Polyak step: "
    "largest of 1 - cos after the last iteration over that after a tenth of them, over ten data sets and three starts",
    basis=CHOSEN,
    source="abstract; the scenario is ours, and of a limit only that the angle keeps falling can be measured",
    scales=FULL_SCALES,
)
def global_from_random_starts(gd: Run, ngd: Run, polyak: Run) -> Check:
    angles = [run["misalignment_w_mm"] for run in (gd, ngd, polyak)]
    ratios = [angle.at(angle.steps[-1]) / angle.at(angle.steps[-1] // 10) for angle in angles]
    return check([ratio.max() for ratio in ratios], at_most(1))


def _logarithm(run: Run, series: str, start: int) -> Series:
    """Return ln of a series for one start. A series whose name begins with "log_" is a logarithm already."""
    chosen = run[series].starts(start)
    return chosen if series.startswith("log_") else chosen.log()


def _best(run: Run, series: str) -> int:
    """Return the index of the start with the best step size.

    It has the smallest mean ln of the series at iteration REFERENCE, over the first SELECTION data sets.
    """
    means = [_logarithm(run, series, k).at(REFERENCE)[:SELECTION].mean() for k in range(len(STEP_SIZES))]
    return int(np.argmin(means))


def _log_ratio(gd: Run, ngd: Run, starts: list[int], series: str) -> Sample:
    """Return ln(k / REFERENCE) for each data set after the first SELECTION.

    The level is the value of GD's series at iteration REFERENCE. k is the first recorded iteration at which NGD's
    series is at most the level, and at least 1. If NGD does not reach the level, k is its last iteration.
    starts: index of the start of GD, and of NGD.
    """
    level = _logarithm(gd, series, starts[0]).at(REFERENCE)[SELECTION:]
    values = _logarithm(ngd, series, starts[1])
    reached = values.values[:, SELECTION:] <= level
    steps = np.where(reached.any(0), values.steps[reached.argmax(0)], values.steps[-1])
    return Sample.of(np.log(np.maximum(steps, 1) / REFERENCE), "compared data set")

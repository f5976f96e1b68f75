"""Claims about the extension of Fig 2 to other step sizes, and to random W(0) of three norms."""

import numpy as np

from attention_dynamics.claims.claim import CHOSEN, DERIVED, FULL_SCALES, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check, equals, near
from attention_dynamics.papers.fast_rates.derivations import INDEPENDENT, SATURATION
from attention_dynamics.papers.fast_rates.ext_stepsize import steps_to_forget
from attention_dynamics.papers.fast_rates.iterations import LEVEL
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.series.series import Series
from attention_dynamics.series.statistics import first_step_staying_above, slope

# The step size of each start.
STEP_SIZES = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300]
# Index of the start of norm 10, as ``start_norms`` of the problem.
FROM_TEN = 2


def _from_step_size(series: Series, smallest: float) -> Series:
    """Return a series of the starts with a step size or a larger one."""
    return series.starts(*range(STEP_SIZES.index(smallest), len(STEP_SIZES)))


@claim(
    "ext_stepsize",
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
    "ext_stepsize",
    says="Much smaller steps of NGD turn W to W_mm, too: cosine after 3000 iterations with step size 0.3",
    basis=CHOSEN,
    source="Theorem 1, as opposed to the logarithm of GD; the threshold is ours",
    scales=FULL_SCALES,
)
def ngd_small_step_direction(stepsize_ngd: Run) -> Check:
    cosine = stepsize_ngd["correlation_w_mm"].starts(STEP_SIZES.index(0.3))
    return check(cosine.at(3000), at_least(0.9999))


@claim(
    "ext_stepsize",
    says="GD with a large step still turns W to W_mm like a logarithm: cosine after 10000 iterations with step "
    "size 300",
    basis=CHOSEN,
    source="Theorem 1, as opposed to the logarithm of GD; the threshold is ours",
    scales=FULL_SCALES,
)
def gd_large_step_still_behind(stepsize_gd: Run) -> Check:
    cosine = stepsize_gd["correlation_w_mm"].starts(STEP_SIZES.index(300))
    return check(cosine.at(10000), at_most(0.9999))


# The iterations that it takes to forget W(0), that is until the cosine of W and W_mm stays above LEVEL.


def _iterations_from_ten(run: Run) -> Array:
    """Return the iterations from random W(0) of norm 10, (problems,)."""
    return first_step_staying_above(run["correlation_w_mm"].starts(FROM_TEN), LEVEL)


@claim(
    "ext_stepsize",
    says="GD does not forget a random W(0) of norm 10 within 10000 iterations: iterations until the cosine of W and "
    "W_mm stays above 0.99, infinite where it does not",
    basis=CHOSEN,
    source=f"not reached {INDEPENDENT}",
    scales=FULL_SCALES,
)
def gd_iterations(gd: Run) -> Check:
    return check(_iterations_from_ten(gd), equals(np.inf))


@claim(
    "ext_stepsize",
    says="{case} forgets a large W(0) once its share in W is small: iterations until the cosine of W and W_mm stays "
    "above 0.99 from W(0) of norm 10, over those after which W(0) plus steps along W_mm has this cosine",
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
    return check(_iterations_from_ten(run) / expected, near(1, within=0.1))

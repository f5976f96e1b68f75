"""Claims about the extension of Fig 2 to other step sizes."""

from attention_dynamics.claims.claim import CHOSEN, DERIVED, FULL_SCALES, RECOMPUTED, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check, near
from attention_dynamics.claims.results import Results
from attention_dynamics.claims.series import Series
from attention_dynamics.claims.statistics import slope
from attention_dynamics.papers.fast_rates.derivations import INDEPENDENT, SATURATION

# The step size of each start.
STEP_SIZES = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300]


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
def ngd_rate(stepsize_ngd: Results) -> Check:
    saturation = _from_step_size(stepsize_ngd["log_nonoptimal_largest"], 0.03).during(300, 3000)
    norm = stepsize_ngd["scaled_norm_w_mm"].during(300, 3000)
    return check(slope(saturation, against=norm), near(-1, within=0.01))


@claim(
    "ext_stepsize",
    says="The norm of W grows like |W_mm| ln t under GD, whatever the step size from 10 on: slope of |W| / |W_mm| "
    "against ln t from iteration 1000 to 10000",
    basis=RECOMPUTED,
    source=f"1.021 to 1.024 with step size 10 {INDEPENDENT}, with a window that is ours; a heuristic gives 1 in the "
    "limit",
    scales=FULL_SCALES,
)
def gd_rate(stepsize_gd: Results) -> Check:
    norm = _from_step_size(stepsize_gd["scaled_norm_w_mm"], 10).during(1000, 10000)
    return check(slope(norm, time="log"), near(1.02, within=0.03))


@claim(
    "ext_stepsize",
    says="Much of the early gap between NGD and GD is the step size: cosine of W and W_mm after 1000 iterations of "
    "GD with step size 300",
    basis=RECOMPUTED,
    source=f"0.9989 {INDEPENDENT}, with a window that is ours",
    scales=FULL_SCALES,
)
def gd_large_step_direction(stepsize_gd: Results) -> Check:
    cosine = stepsize_gd["correlation_w_mm"].starts(STEP_SIZES.index(300))
    return check(cosine.at(1000), near(0.9989, within=0.0005))


@claim(
    "ext_stepsize",
    says="Much smaller steps of NGD turn W to W_mm, too: cosine after 3000 iterations with step size 0.3",
    basis=CHOSEN,
    source="Theorem 1, as opposed to the logarithm of GD; the threshold is ours",
    scales=FULL_SCALES,
)
def ngd_small_step_direction(stepsize_ngd: Results) -> Check:
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
def gd_large_step_still_behind(stepsize_gd: Results) -> Check:
    cosine = stepsize_gd["correlation_w_mm"].starts(STEP_SIZES.index(300))
    return check(cosine.at(10000), at_most(0.9999))

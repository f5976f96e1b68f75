"""Claims about the extension of Fig 2 to noise on the optimal tokens."""

from attention_dynamics.claims.claim import CHOSEN, DERIVED, FULL_SCALES, claim
from attention_dynamics.claims.expectation import Check, at_least, check, near
from attention_dynamics.claims.results import Results
from attention_dynamics.claims.statistics import slope
from attention_dynamics.papers.fast_rates.derivations import INDEPENDENT, PARALLEL_STEPS, POLYAK_GAP, SATURATION
from attention_dynamics.papers.fast_rates.iterations import iterations_ratio


@claim(
    "ext_sigma",
    says="Attention saturates exponentially in |W| under NGD, whatever the noise on the optimal tokens: slope of ln(1 "
    "- s_opt), with s_opt the attention on the optimal token of the worst input, against |W| / |W_mm| from iteration "
    "200 to 1000",
    basis=DERIVED,
    source=SATURATION,
    scales=FULL_SCALES,
)
def saturates_with_the_norm(sigma_ngd: Results) -> Check:
    saturation = sigma_ngd["log_nonoptimal_largest"].during(200, 1000)
    norm = sigma_ngd["scaled_norm_w_mm"].during(200, 1000)
    return check(slope(saturation, against=norm), near(-1, within=0.01))


@claim(
    "ext_sigma",
    says="The logarithm of the loss gap L - inf L falls by 1 / c = 0.5 in every Polyak step, whatever the noise on "
    "the optimal tokens: its slope against t from iteration 50 to 500",
    basis=DERIVED,
    source=POLYAK_GAP,
    scales=FULL_SCALES,
)
def polyak_linear_rate(sigma_polyak: Results) -> Check:
    return check(slope(sigma_polyak["log_gap"].during(50, 500)), near(-0.5, within_percent=1))


@claim(
    "ext_sigma",
    says="NGD turns W to W_mm, whatever the noise on the optimal tokens: cosine after 1000 iterations",
    basis=CHOSEN,
    source=f"Theorem 1, 'IB rate'; the threshold is ours, the smallest cosine {INDEPENDENT}",
    scales=FULL_SCALES,
)
def cosine_at_1000(sigma_ngd: Results) -> Check:
    return check(sigma_ngd["correlation_w_mm"].at(1000), at_least(0.9998))


@claim(
    "ext_sigma",
    says="The Polyak step turns W to W_mm in fewer iterations than NGD, whatever the noise on the optimal tokens: "
    "iterations until the cosine stays above 0.99, those of NGD (step size 0.5) over those of the Polyak step",
    basis=CHOSEN,
    source="as in Fig 2; the threshold and the step sizes are ours",
    scales=FULL_SCALES,
)
def direction_ngd_after_polyak(sigma_ngd: Results, sigma_polyak: Results) -> Check:
    ratio = iterations_ratio(sigma_ngd["correlation_w_mm"], sigma_polyak["correlation_w_mm"])
    return check(ratio, at_least(1.01))


@claim(
    "ext_sigma",
    says="NGD turns W to W_mm in fewer iterations than GD, whatever the noise on the optimal tokens: iterations "
    "until the cosine stays above 0.99, those of GD (step size 10) over those of NGD (0.5); infinite where GD "
    "does not get there in 1000",
    basis=CHOSEN,
    source="as in Fig 2; the threshold and the step sizes are ours",
    scales=FULL_SCALES,
)
def direction_gd_after_ngd(sigma_gd: Results, sigma_ngd: Results) -> Check:
    ratio = iterations_ratio(sigma_gd["correlation_w_mm"], sigma_ngd["correlation_w_mm"])
    return check(ratio, at_least(1.01))


@claim(
    "ext_sigma",
    says="NGD selects the optimal tokens in fewer iterations than GD, whatever the noise on them: iterations until "
    "the mean attention on the optimal tokens stays above 0.99, those of GD (step size 10) over those of NGD (0.5)",
    basis=CHOSEN,
    source="as in Fig 2; the threshold and the step sizes are ours",
    scales=FULL_SCALES,
)
def attention_gd_after_ngd(sigma_gd: Results, sigma_ngd: Results) -> Check:
    return check(iterations_ratio(sigma_gd["optimal"], sigma_ngd["optimal"]), at_least(8))


@claim(
    "ext_sigma",
    says="The norm of W grows by the step size in every iteration of NGD, whatever the noise on the optimal "
    "tokens: slope of |W| against t from iteration 200 to 1000, with step size 0.5",
    basis=DERIVED,
    source=PARALLEL_STEPS,
    scales=FULL_SCALES,
)
def norm_grows_by_eta(sigma_ngd: Results) -> Check:
    return check(slope(sigma_ngd["norm_p"].during(200, 1000)), near(0.5, within_percent=0.5))


@claim(
    "ext_sigma",
    says="The norm of W grows by |W_mm| / c, with c = 2, in every Polyak step, whatever the noise on the optimal "
    "tokens: slope of |W| / |W_mm| against t from iteration 50 to 500",
    basis=DERIVED,
    source=POLYAK_GAP,
    scales=FULL_SCALES,
)
def polyak_norm(sigma_polyak: Results) -> Check:
    return check(slope(sigma_polyak["scaled_norm_w_mm"].during(50, 500)), near(0.5, within_percent=1))

"""Claims about the extension of Fig 2 to noise on the optimal tokens."""

from attention_dynamics.claims.claim import CHOSEN, DERIVED, FULL_SCALES, claim
from attention_dynamics.claims.expectation import Check, at_least, check, near
from attention_dynamics.claims.results import Results
from attention_dynamics.claims.statistics import slope
from attention_dynamics.papers.fast_rates.iterations import iterations_ratio


@claim(
    "ext_sigma",
    says="NGD: ln max_i(1 - s_i,opt) falls with |W| / |W_mm| at slope -1 in [200, 1000]",
    basis=DERIVED,
    source="Lemma 1",
    scales=FULL_SCALES,
)
def saturates_with_the_norm(sigma_ngd: Results) -> Check:
    saturation = sigma_ngd["log_nonoptimal_largest"].during(200, 1000)
    norm = sigma_ngd["scaled_norm_w_mm"].during(200, 1000)
    return check(slope(saturation, against=norm), near(-1, within=0.01))


@claim(
    "ext_sigma",
    says="Polyak step: ln(loss gap) falls by 1/c, 0.5, in every iteration of [50, 500]",
    basis=DERIVED,
    source="definition of the step and of the gap",
    scales=FULL_SCALES,
)
def polyak_linear_rate(sigma_polyak: Results) -> Check:
    return check(slope(sigma_polyak["log_gap"].during(50, 500)), near(-0.5, within_percent=1))


@claim(
    "ext_sigma",
    says="NGD: cosine of W and W_mm after 1000 iterations",
    basis=CHOSEN,
    source="Theorem 1",
    scales=FULL_SCALES,
)
def cosine_at_1000(sigma_ngd: Results) -> Check:
    return check(sigma_ngd["correlation_w_mm"].at(1000), at_least(0.9998))


@claim(
    "ext_sigma",
    says="iterations until the cosine stays above 0.99: NGD (step size 0.5) over Polyak step",
    basis=CHOSEN,
    source="as in Fig 2",
    scales=FULL_SCALES,
)
def direction_ngd_after_polyak(sigma_ngd: Results, sigma_polyak: Results) -> Check:
    ratio = iterations_ratio(sigma_ngd["correlation_w_mm"], sigma_polyak["correlation_w_mm"])
    return check(ratio, at_least(1.01))


@claim(
    "ext_sigma",
    says="iterations until the cosine stays above 0.99: GD (step size 10) over NGD (0.5)",
    basis=CHOSEN,
    source="as in Fig 2; runs of GD end after 1000 iterations, inf is later",
    scales=FULL_SCALES,
)
def direction_gd_after_ngd(sigma_gd: Results, sigma_ngd: Results) -> Check:
    ratio = iterations_ratio(sigma_gd["correlation_w_mm"], sigma_ngd["correlation_w_mm"])
    return check(ratio, at_least(1.01))


@claim(
    "ext_sigma",
    says="iterations until the mean of s_opt stays above 0.99: GD (step size 10) over NGD (0.5)",
    basis=CHOSEN,
    source="as in Fig 2",
    scales=FULL_SCALES,
)
def attention_gd_after_ngd(sigma_gd: Results, sigma_ngd: Results) -> Check:
    return check(iterations_ratio(sigma_gd["optimal"], sigma_ngd["optimal"]), at_least(8))


@claim(
    "ext_sigma",
    says="NGD: |W| grows by the step size, 0.5, in every iteration of [200, 1000]",
    basis=DERIVED,
    source="as in Fig 2",
    scales=FULL_SCALES,
)
def norm_grows_by_eta(sigma_ngd: Results) -> Check:
    return check(slope(sigma_ngd["norm_p"].during(200, 1000)), near(0.5, within_percent=0.5))


@claim(
    "ext_sigma",
    says="Polyak step: |W| grows by |W_mm| / c in every iteration of [50, 500]: slope over |W_mm|",
    basis=DERIVED,
    source="as in Fig 2",
    scales=FULL_SCALES,
)
def polyak_norm(sigma_polyak: Results) -> Check:
    return check(slope(sigma_polyak["scaled_norm_w_mm"].during(50, 500)), near(0.5, within_percent=1))

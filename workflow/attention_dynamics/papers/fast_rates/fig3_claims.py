"""Claims about Fig 3: training W and the head u together, data model DM.

The rates are those of the last decade, iterations 2000 to 20000, unless a claim names others.
"""

import numpy as np

from attention_dynamics.claims.claim import CHOSEN, DERIVED, FULL_SCALES, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check, near
from attention_dynamics.claims.results import Results
from attention_dynamics.claims.statistics import fit_quality, largest_ratio, slope

# What is expected of log10 of the loss, by the number of iterations.
NGD_LOSSES = {100: near(-6.45, within=0.75), 1000: near(-16.5, within=0.5), 10000: near(-37.75, within=0.55)}
POLYAK_LOSSES = {100: near(-22.1, within=1), 300: near(-65.5, within=1)}
# Iterations at which the direction of W is compared.
DECADES = [100, 300, 1000, 3000, 10000]


@claim(
    "fig3",
    says="|u_mm| = 1 / sqrt(2) for orthogonal class tokens of length 2",
    basis=DERIVED,
    source="closed form",
)
def head_svm_norm(joint_ngd: Results) -> Check:
    return check(joint_ngd.reference("u_mm", "norm"), near(0.70710678, within=1e-7))


# NGD: the loss and the norms.


@claim(
    "fig3",
    says="NGD: -ln L is linear in the cube root of t in [2000, 20000], so that L = exp(-Theta(t^(1/3))): "
    "slope 3 eta_u / |u_mm| = 4.2426",
    basis=DERIVED,
    source="Theorem 2; the constant is derived",
    scales=FULL_SCALES,
)
def loss_rate(joint_ngd: Results) -> Check:
    log_loss = joint_ngd["log_gap"].during(2000, 20000)
    return check(slope(log_loss, time="cube_root"), near(-4.2426, within_percent=1))


@claim(
    "fig3",
    says="NGD: R^2 of that line",
    basis=CHOSEN,
    source="Theorem 2",
    scales=FULL_SCALES,
)
def loss_rate_is_a_line(joint_ngd: Results) -> Check:
    log_loss = joint_ngd["log_gap"].during(2000, 20000)
    return check(fit_quality(log_loss, time="cube_root"), at_least(0.999))


@claim(
    "fig3",
    says="NGD: |u| grows like the cube root of t in [2000, 20000]: log-log slope",
    basis=DERIVED,
    source="Theorem 2; follows from the step sizes, so this checks the schedule",
    scales=FULL_SCALES,
)
def head_norm_rate(joint_ngd: Results) -> Check:
    log_norm = joint_ngd["norm_v"].during(2000, 20000).log()
    return check(slope(log_norm, time="log"), near(0.355, within=0.025))


@claim(
    "fig3",
    says="NGD: |W| grows like eta_W ln t, eta_W = 3, in [2000, 20000]: slope",
    basis=DERIVED,
    source="Theorem 3; follows from the step sizes, so this checks the schedule",
    scales=FULL_SCALES,
)
def attention_norm_rate(joint_ngd: Results) -> Check:
    norm = joint_ngd["norm_p"].during(2000, 20000)
    return check(slope(norm, time="log"), near(3, within_percent=2))


@claim(
    "fig3",
    says="NGD: log10 of the loss after {case} iterations",
    cases=list(NGD_LOSSES),
    basis=CHOSEN,
    source="range seen over five other data sets",
    scales=FULL_SCALES,
)
def log10_loss_at(joint_ngd: Results, case: int) -> Check:
    return check(joint_ngd["log10_gap"].at(case), NGD_LOSSES[case])


# NGD: the directions of W and u, and the margin of u.


@claim(
    "fig3",
    says="NGD: cosine of W and W_mm after 1000 iterations",
    basis=CHOSEN,
    source="Theorem 3",
    scales=FULL_SCALES,
)
def attention_direction(joint_ngd: Results) -> Check:
    return check(joint_ngd["correlation_w_mm"].at(1000), at_least(0.99))


@claim(
    "fig3",
    says="NGD: cosine of u and u_mm after 1000 iterations",
    basis=CHOSEN,
    source="Theorem 4",
    scales=FULL_SCALES,
)
def head_direction(joint_ngd: Results) -> Check:
    return check(joint_ngd["correlation_u_mm"].at(1000), at_least(0.99))


@claim(
    "fig3",
    says="NGD: margin of u on the optimal tokens over the largest possible one after 1000 iterations",
    basis=CHOSEN,
    source="Theorem 4",
    scales=FULL_SCALES,
)
def head_margin(joint_ngd: Results) -> Check:
    return check(joint_ngd["head_margin"].at(1000), at_least(0.99))


@claim(
    "fig3",
    says="NGD: 1 - cos(W, W_mm) falls over t = 100, 300, 1000, 3000, 10000; largest ratio of neighbours",
    basis=CHOSEN,
    source="Theorem 3; seen on five other data sets",
    scales=FULL_SCALES,
)
def attention_direction_falls(joint_ngd: Results) -> Check:
    return check(largest_ratio(joint_ngd["misalignment_w_mm"], DECADES), at_most(0.9999))


@claim(
    "fig3",
    says="NGD: (1 - cos(W, W_mm)) ln t falls over the same t",
    basis=CHOSEN,
    source="Theorem 3; the rate is recalled",
    scales=FULL_SCALES,
)
def attention_direction_logarithmic(joint_ngd: Results) -> Check:
    return check(largest_ratio(joint_ngd["misalignment_w_mm"], DECADES, times=np.log), at_most(0.9999))


@claim(
    "fig3",
    says="NGD: log-log slope of 1 - cos(u, u_mm) in [200, 20000]",
    basis=CHOSEN,
    source="Theorem 4",
    scales=FULL_SCALES,
)
def head_direction_rate(joint_ngd: Results) -> Check:
    log_misalignment = joint_ngd["misalignment_u_mm"].during(200, 20000).log()
    return check(slope(log_misalignment, time="log"), at_most(-0.5))


@claim(
    "fig3",
    says="NGD: log-log slope of one minus the relative margin in [200, 20000]",
    basis=CHOSEN,
    source="Theorem 4",
    scales=FULL_SCALES,
)
def head_margin_rate(joint_ngd: Results) -> Check:
    log_shortfall = joint_ngd["head_margin_shortfall"].during(200, 20000).log()
    return check(slope(log_shortfall, time="log"), at_most(-0.5))


# GD, as a contrast.


@claim(
    "fig3",
    says="GD: the loss falls like 1 / t in [2000, 20000]: log-log slope",
    basis=CHOSEN,
    source="GD, as a contrast to Theorem 2; a heuristic gives -1 in the limit",
    scales=FULL_SCALES,
)
def gd_loss_polynomial(joint_gd: Results) -> Check:
    log_loss = joint_gd["log_gap"].during(2000, 20000)
    return check(slope(log_loss, time="log"), near(-1.05, within=0.05))


@claim(
    "fig3",
    says="GD: log10 of the loss after 1000 iterations",
    basis=CHOSEN,
    source="value seen over five other data sets",
    scales=FULL_SCALES,
)
def gd_log10_loss_at_1000(joint_gd: Results) -> Check:
    return check(joint_gd["log10_gap"].at(1000), near(-3.2, within=0.2))


@claim(
    "fig3",
    says="GD: |W| grows like ln t in [2000, 20000]: R^2",
    basis=CHOSEN,
    source="GD, as a contrast to Theorem 3",
    scales=FULL_SCALES,
)
def gd_attention_norm(joint_gd: Results) -> Check:
    return check(fit_quality(joint_gd["norm_p"].during(2000, 20000), time="log"), at_least(0.99))


@claim(
    "fig3",
    says="GD: |u| grows like ln t in [2000, 20000]: R^2",
    basis=CHOSEN,
    source="GD, as a contrast to Theorem 2",
    scales=FULL_SCALES,
)
def gd_head_norm(joint_gd: Results) -> Check:
    return check(fit_quality(joint_gd["norm_v"].during(2000, 20000), time="log"), at_least(0.99))


@claim(
    "fig3",
    says="log10 of the loss after 1000 iterations: NGD minus GD",
    basis=CHOSEN,
    source="Section 5, (S)NGD converges faster than (S)GD; the distance was seen on five other data sets",
    scales=FULL_SCALES,
)
def ngd_ahead_of_gd(joint_ngd: Results, joint_gd: Results) -> Check:
    return check(joint_ngd["log10_gap"].at(1000) - joint_gd["log10_gap"].at(1000), at_most(-6))


# The Polyak step, c = 2.


@claim(
    "fig3",
    says="Polyak step: log10 of the loss after {case} iterations",
    cases=list(POLYAK_LOSSES),
    basis=DERIVED,
    source="falls by 1 / (2 ln 10) = 0.2171 in every iteration",
    scales=FULL_SCALES,
)
def polyak_at(joint_polyak: Results, case: int) -> Check:
    return check(joint_polyak["log10_gap"].at(case), POLYAK_LOSSES[case])

"""Scan and snap's closed forms: h, gamma, B_n and chi against their equations, each other and the paper's figures."""

from functools import partial

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from attention_dynamics.theory import growth_laws
from attention_dynamics.theory.attention_growth import AttentionGrowth, crossing_time
from attention_dynamics.theory.growth_laws import gamma, h, h_star, omega_1, scanning_end, snapping_start
from helpers.refusals import assert_refused

some = settings(deadline=None, max_examples=60, derandomize=True)
ETAS = np.array([0.1, 0.2, 0.5, 1.0, 2.0])
# Fig 3: eta_Z = 0.5, M = 1000, K = 10, and C0 = rho_0^4 / K for rho_0 = 1/2.
FIG3 = AttentionGrowth(np.array([0.5, 1.0, 2.0, 5.0]), 0.5, 1000, 10, 1 / 160)
# Fig 9 by nu = eta_Y / eta_Z: M, the right edge, B_n there for eta_Z = 0.5, 1, 2, 4, 8, t0 for the first, B_n at t0.
FIG9_ETA_Z = np.array([0.5, 1.0, 2.0, 4.0, 8.0])
FIG9 = {
    10.0: (100, 5.0, [0.6201602157, 0.6706754489, 0.7125187113, 0.7493328164, 0.7827944958], 2.584354547, 0.5556119707),
    1.0: (10000, 50.0, [1.407815908, 1.449732335, 1.481453927, 1.508621167, 1.533214508], 46.66802061, 1.402544203),
}


@some
@given(M=st.integers(2, 10**6), t=st.floats(1e-280, 1e6) | st.just(0.0), eta_Y=st.floats(1e-3, 1e3))
def test_h_is_root_to_fourteen_digits(M, t, eta_Y):
    value = float(h(t, eta_Y, M))
    with mpmath.workdps(50):
        total, x = mpmath.mpf(M) * mpmath.mpf(eta_Y) * mpmath.mpf(t), M * mpmath.mpf(value)
        for _ in range(3):
            x -= (mpmath.expm1(x) + (M - 1) * x - total) / (mpmath.exp(x) + M - 1)
        assert abs(x / M - value) <= 1e-14 * value


def test_h_is_finite_at_ends_of_floating_point_range():
    # e^x = M t = 10^300 at the end, of which (M - 1) x is nothing.
    expected = np.array([0, 0.7e-300, 300 * np.log(10)]) / 1000
    np.testing.assert_allclose(h([0.0, 1e-300, 1e297 / 0.7], 0.7, 1000), expected, rtol=1e-14)


def test_h_solves_its_differential_equation():
    """Lemma 6, by the classical Runge-Kutta method."""
    M, steps, end = 50, 20000, 100.0
    rate, step, value = lambda x: ETAS / (M - 1 + np.exp(M * x)), end / steps, np.zeros(5)
    for _ in range(steps):
        k1 = rate(value)
        k2 = rate(value + step / 2 * k1)
        k3 = rate(value + step / 2 * k2)
        value = value + step / 6 * (k1 + 2 * k2 + 2 * k3 + rate(value + step * k3))
    np.testing.assert_allclose(h(end, ETAS, M), value, rtol=1e-12)


@pytest.mark.parametrize(
    ("M", "steps", "etas", "h_star_end", "h_end"),
    [
        (50, 79, [0.1, 0.2, 0.5, 1, 2], [0.1006092, 0.1242379, 0.1482602, 0.1640985, 0.1790450],
         [0.1002608, 0.1237942, 0.1477302, 0.1634965, 0.1783570]),
        (1000, 70, [0.2, 0.5, 1, 2, 4], [0.008625691, 0.01015377, 0.01102026, 0.01180047, 0.01254066],
         [0.008596565, 0.01012218, 0.01098574, 0.01176174, 0.01249694]),
    ],
)  # fmt: skip
def test_h_and_h_star_match_fig_8_and_lemma_7(M, steps, etas, h_star_end, h_end):
    curves = growth_laws.logit_curves(steps, etas, M)
    np.testing.assert_allclose(curves.h_star[:, -1], h_star_end, rtol=1e-6)
    np.testing.assert_allclose(curves.h[:, -1], h_end, rtol=1e-6)
    largest = (curves.h_star - curves.h).max(1)
    relative = largest * M / np.array(etas)
    assert 0.15 < relative.min() <= relative.max() < 0.25
    late = growth_laws.logit_curves(20000, etas, M)
    assert np.all((late.h_star - late.h)[:, -1] < 0.02 * largest)


@some
@given(M=st.integers(2, 10**5), eta_Y=st.floats(0.01, 30))
def test_gap_between_h_star_and_h_is_at_most_two_steps(M, eta_Y):
    curves = growth_laws.logit_curves(200, [eta_Y], M)
    gap = curves.h_star - curves.h
    assert np.all(gap >= -1e-13 * curves.h)
    assert np.all(gap <= 2 * eta_Y / M)


def test_recursion_matches_paper():
    M, eta_Y, printed = 50, np.array([0.5, 2.0]), np.zeros(2)
    recursion = h_star(100, eta_Y, M)
    for row in recursion:
        np.testing.assert_allclose(row, printed, rtol=1e-12)
        printed = printed + eta_Y / (M - 1 + np.exp(M * printed))


def test_gamma_keeps_precision_near_convergence():
    """With e^(M h) taken from eq. 45."""
    M, eta_Y, K, t = 1000, 0.5, 10, np.array([1e3, 1e8, 1e15])
    value = h(t / K, eta_Y, M)
    exponential = M * eta_Y * t / K + 1 - (M - 1) * M * value
    np.testing.assert_allclose(gamma(t, eta_Y, M, K), (M - 1) ** 2 * value / (M - 1 + exponential), rtol=1e-12)


def test_omega_1_satisfies_lemma_8():
    M = np.array([4, 50, 100, 1000, 1e4, 1e6])
    omega = omega_1(M)
    np.testing.assert_allclose(M**omega, (1 + omega) * (M - 1) / M * np.log(M), rtol=1e-12)
    np.testing.assert_allclose(omega[1:5], [0.436, 0.403, 0.320, 0.267], atol=5e-4)
    assert np.all(omega > 0)


@pytest.mark.parametrize("K", [1, 10])
@pytest.mark.parametrize("M", [50, 100, 1000, 10**4, 10**6])
def test_lemma_9_holds_and_late_rate_of_theorem_1_does_not(M, K):
    eta_Y = 0.7
    early = scanning_end(eta_Y, M, K) * np.linspace(0.01, 1, 50)
    late = snapping_start(eta_Y, M, K) * np.array([1, 3, 10, 1000])
    ratio = lambda t: gamma(t, eta_Y, M, K) / growth_laws.asymptotic_gamma(t, eta_Y, M, K)  # noqa: E731
    assert np.all((ratio(early) > 0.5) & (ratio(early) < 1))
    assert np.all((ratio(late) > 0.95) & (ratio(late) < 2))
    np.testing.assert_allclose(ratio(late)[2:], 1, atol=0.06)
    printed = K * np.log(eta_Y * late / K) / (eta_Y * late)
    assert np.all(gamma(late, eta_Y, M, K) / printed > [3.5, 2.3, 1.8, 1.3])
    assert np.isnan(growth_laws.asymptotic_gamma(1.5 * scanning_end(eta_Y, M, K), eta_Y, M, K))


@pytest.mark.parametrize("M", [50, 10**4])
def test_theorem_4_integrates_gamma_and_xi(M):
    """Eqs. 128 and 123 by quadrature; the printed B_n lacks -ln(C0) / 4."""
    growth, end = AttentionGrowth(2.0, 0.5, M, 3, 0.02), 40.0
    rate = lambda t: growth.eta_Z * gamma(t, growth.eta_Y, M, growth.K)  # noqa: E731
    xi = lambda t: rate(t) / (growth.C0 + 4 * growth.integrated_gamma(t))  # noqa: E731
    peak = scanning_end(2.0, M, 3)
    np.testing.assert_allclose(quad(rate, 0, end, points=[peak])[0], growth.integrated_gamma(end), rtol=1e-8)
    integral = quad(xi, 0, end, points=[0.01, 0.1, peak])[0]
    np.testing.assert_allclose(growth.exponent(end), integral, rtol=1e-8)
    np.testing.assert_allclose(growth.printed_exponent(end) - integral, np.log(0.02) / 4, rtol=1e-6)
    assert growth.exponent(0.0) == 0.0
    np.testing.assert_allclose(np.exp(2 * growth.printed_exponent(0.0)), np.sqrt(0.02), rtol=1e-12)


def test_printed_growth_factor_is_far_below_axis_of_fig_3():
    """Fig 3's axis ends at 600; with C0 = 1/160 the integral reaches 575, equation 129 as printed 45 at most."""
    printed = np.exp(2 * FIG3.printed_exponent(690.0))
    np.testing.assert_allclose(printed, [45.15, 34.67, 26.26, 17.99], atol=0.06)
    assert FIG3.factor(690.0).max() == pytest.approx(575, rel=0.01)


def test_local_exponent_is_slope_of_growth_factor():
    growth, t, step = AttentionGrowth(2.0, 0.5, 100, 3, 0.02), np.geomspace(0.1, 1e4, 20), 1e-5
    slope = np.log(growth.factor(t * np.exp(step)) / growth.factor(t * np.exp(-step))) / (2 * step)
    np.testing.assert_allclose(growth.local_exponent(t), slope, rtol=1e-6)
    assert growth.local_exponent(0.0) == 0.0


@pytest.mark.parametrize(
    ("nu", "M", "early", "late", "later"),
    [(1.0, 100, 0.07, 0.05, 0.015), (1.0, 1000, 0.07, 0.05, 0.015), (1.0, 10**4, 0.07, 0.05, 0.015),
     (10.0, 100, 0.14, 0.09, 0.021)],
)  # fmt: skip
def test_growth_factor_matches_branches_of_theorem_4(nu, M, early, late, later):
    growth = AttentionGrowth(nu, 1.0, M, 1)
    error = lambda t: growth.asymptotic_exponent(t) / growth.printed_exponent(t) - 1  # noqa: E731
    end, start = scanning_end(nu, M, 1), snapping_start(nu, M, 1)
    assert 0 < error(0.01 * end) < 1e-3
    assert 0 < error(end) < early
    assert 0 < error(start) < late
    assert np.all(np.abs(error(start * np.array([3, 10, 100]))) < later)
    assert np.isnan(error(1.5 * end))


@pytest.mark.parametrize("nu", FIG9)
def test_growth_factor_matches_fig_9(nu):
    M, edge, ends, start, at_start = FIG9[nu]
    form, t0 = AttentionGrowth(nu * FIG9_ETA_Z, FIG9_ETA_Z, M, 1), snapping_start(nu * FIG9_ETA_Z, M, 1)
    exponent = form.exponent(np.linspace(0, edge, 101)[:, None])
    np.testing.assert_allclose(exponent[-1], ends, rtol=1e-8)
    np.testing.assert_allclose(t0, start / (2 * FIG9_ETA_Z), rtol=1e-8)
    np.testing.assert_allclose(form.exponent(t0), at_start, rtol=1e-8)
    assert np.all(exponent[0] == 0)
    assert np.all(np.diff(exponent[1:], axis=1) > 0)
    assert np.all(t0 < edge)
    # With nu = eta_Z / eta_Y = 10, as the caption has it, every t0 of the left panel would lie beyond its right edge.
    if nu == 10:
        assert np.all(snapping_start(FIG9_ETA_Z / nu, M, 1) > edge)


def transition_exponent(nu, M, K):
    """Return eq. 131, which is eq. 14 at t0: a function of M, K and nu = eta_Y / eta_Z only, with C0 = 1."""
    logit = np.log(2 * (1 + omega_1(M)) * M * np.log(M)) / M
    return np.log(1 + 2 * K * (M - 1) ** 2 * logit**2 / nu) / 4


@some
@given(nu=st.floats(0.1, 100), M=st.integers(4, 10**5), K=st.integers(1, 100), t=st.floats(1e-3, 1e6))
def test_growth_exponent_increases_with_both_learning_rates(nu, M, K, t):
    """At a fixed ratio nu = eta_Y / eta_Z, as in Fig 9."""
    growth = AttentionGrowth(nu * FIG9_ETA_Z, FIG9_ETA_Z, M, K)
    assert (np.diff(growth.exponent(t)) > 0).all()


@some
@given(nu=st.floats(0.1, 100), M=st.integers(4, 10**6), K=st.integers(1, 50), scale=st.floats(0.01, 100))
def test_growth_at_transition_depends_only_on_learning_rate_ratio(nu, M, K, scale):
    exponents = []
    for eta_Z in (1.0, scale):
        growth, start = AttentionGrowth(nu * eta_Z, eta_Z, M, K), snapping_start(nu * eta_Z, M, K)
        exponents.append(growth.exponent(start))
        np.testing.assert_allclose(transition_exponent(nu, M, K), growth.asymptotic_exponent(start), rtol=1e-9)
    np.testing.assert_allclose(*exponents, rtol=1e-9)


def test_growth_factor_matches_eqs_131_and_132():
    left, right = transition_exponent(10.0, 100, 1), transition_exponent(1.0, 10**4, 1)
    np.testing.assert_allclose([left, right], [0.6008, 1.4313], atol=5e-5)
    growth, late, nu, M, K = AttentionGrowth(1.0, 1.0, 10**4, 1), 1e9, 1.0, 1e4, 1
    printed = np.log(np.log(M * late / K)) / 2 + np.log(2 * K * (M - 1) ** 2 / M**2 / nu) / 4
    np.testing.assert_allclose(growth.late_exponent(late), printed, rtol=1e-12)
    np.testing.assert_allclose(growth.exponent(late), printed, rtol=1e-3)


def test_growth_matches_fig_3_up_to_scale():
    t = np.linspace(0, 730, 1461)
    chi, start = FIG3.factor(t[:, None]).T, snapping_start(FIG3.eta_Y, 1000, 10)
    assert np.all(chi[:, 0] == 1)
    assert np.all(np.diff(chi, axis=1) > 0)
    assert np.all(np.diff(chi[:, t >= start[0]], axis=0) < 0)
    assert np.all(np.diff(chi[:, (t > 0) & (t <= 25)], axis=0) > 0)
    np.testing.assert_allclose(start[0] / start, [1, 2, 4, 10], rtol=1e-12)
    np.testing.assert_allclose(start, [364.7, 182.3, 91.2, 36.5], atol=0.05)
    np.testing.assert_allclose(FIG3.factor(690.8) / FIG3.factor(690.8)[3], [2.51, 1.93, 1.46, 1], rtol=0.02)
    early = np.sqrt(1 + 2 * FIG3.eta_Y * FIG3.eta_Z * 2.0**2 / (FIG3.K * FIG3.C0))
    np.testing.assert_allclose(FIG3.factor(2.0), early, rtol=0.01)
    whole = AttentionGrowth(FIG3.eta_Y, 0.5, 1000, 10)
    np.testing.assert_allclose(whole.factor(690.0), [45.2, 34.7, 26.3, 18.0], atol=0.06)
    end = scanning_end(FIG3.eta_Y, 1000, 10)
    times = [end / 4, end, 2 * end, start, 3 * start, 10 * start]
    for t, expected in zip(times, [0.997, 0.694, 0.258, 0.198, 0.114, 0.088], strict=True):
        np.testing.assert_allclose(FIG3.local_exponent(t), expected, atol=2e-3)


def test_crossings_of_fig_3_are_independent_of_scale():
    for slow, fast, t in ((0.5, 1, 125.0), (1, 2, 62.5), (2, 5, 28.5), (0.5, 5, 63.6)):
        crossing = crossing_time(slow, fast, 1000, 10)
        np.testing.assert_allclose(crossing, t, rtol=0.01)
        for C0 in (1e-3, 1.0, 100.0):
            slower, faster = AttentionGrowth(np.array([slow, fast]), 0.5, 1000, 10, C0).exponent(crossing)
            np.testing.assert_allclose(slower, faster, rtol=1e-9)


@some
@given(slow=st.floats(0.01, 10), ratio=st.floats(1.01, 1000), M=st.integers(4, 10**6))
def test_slower_decoder_overtakes_once(slow, ratio, M):
    t = crossing_time(slow, ratio * slow, M, 3) * np.array([0.1, 0.9, 1.1, 10])
    slower, faster = (AttentionGrowth(eta_Y, 0.5, M, 3).exponent(t) for eta_Y in (slow, ratio * slow))
    assert np.array_equal(slower > faster, [False, False, True, True])


REFUSALS = [
    (partial(h, -1.0, 1.0, 50), "t must be finite and at least 0"),
    (partial(h, np.nan, 1.0, 50), "t must be finite"),
    (partial(h, 1.0, [1.0, 0.0], 50), "eta_Y must be finite and above 0"),
    (partial(h_star, 5, 1.0, 1), "M must be finite and at least 2"),
    (partial(h_star, -1, 1.0, 50), "steps must be finite and at least 0"),
    (partial(omega_1, 3), "M must be finite and at least 4"),
    (partial(gamma, 1.0, 1.0, 50, 0), "K must be finite and at least 1"),
    (partial(AttentionGrowth, 1.0, -1.0, 50, 1), "eta_Z must be finite and above 0"),
    (partial(AttentionGrowth, 1.0, 1.0, 50, 1, C0=0.0), "C0 must be finite and above 0"),
    (partial(crossing_time, 2.0, 1.0, 50, 1), "0 < slow < fast"),
    (partial(h, 1e300, 1e9, 1000), "M_eta_t must be finite"),
    (partial(AttentionGrowth(1.0, 1.0, 10**4, 1).late_exponent, 1e-4), "M_eta_t_over_K must be finite and above 1"),
]


def test_invalid_arguments_are_refused():
    assert_refused(REFUSALS)

"""Closed forms for the training of the decoder: h, h* and gamma (Scan and snap, Section 4, Appendix D.3).

Y, (M, M), is trained on one of K classes in each step, in turn or at random. t counts the steps, and eta_Y is the
learning rate of Y. The arguments t, eta_Y, M and K may be arrays, which broadcast against each other.
"""

from typing import NamedTuple

import numpy as np
import scipy  # Not scipy.special: SciPy loads it on first use, and reading a configuration does not need it.
from numpy.typing import ArrayLike, NDArray

from attention_dynamics.problems.arrays import takes_arrays
from attention_dynamics.problems.problem import Array
from attention_dynamics.theory.argument_checks import require_above, require_at_least

Flags = NDArray[np.bool_]


class LogitCurves(NamedTuple):
    """h* and h for several learning rates (Fig 8). step: (steps + 1,). h_star and h: (learning rates, steps + 1)."""

    step: Array
    h_star: Array
    h: Array


@takes_arrays()
def h_star(steps: int, eta_Y: ArrayLike, M: ArrayLike) -> Array:
    """Return h*(0), ..., h*(steps) for gradient ascent on one class.

    The shape is (steps + 1, ...), where ... is the shape to which eta_Y and M broadcast. Row n of F'Y, which belongs to
    class n, is w_n = (M - 1) h* zeta_n (eq. 33), with zeta_n = M / (M - 1) (e_n - 1/M), and
    h*(s) = h*(s - 1) + eta_Y / (M - 1 + e^(M h*(s - 1))).
    Raises ValueError for steps < 0, eta_Y <= 0 and M < 2.
    """
    eta_Y, M = require_above(0.0, eta_Y=eta_Y)[0], require_at_least(2.0, M=M)[0]
    require_at_least(0.0, steps=steps)
    values = np.zeros((steps + 1, *np.broadcast_shapes(eta_Y.shape, M.shape)))
    for s in range(steps):
        values[s + 1] = values[s] + eta_Y * scipy.special.expit(-_log_odds(values[s], M)) / (M - 1)
    return values


@takes_arrays()
def h(t: ArrayLike, eta_Y: ArrayLike, M: ArrayLike) -> Array:
    """Return the solution h of dh/dt = eta_Y / (M - 1 + e^(M h)) with h = 0 at t = 0 (eq. 44), up to rounding.

    It is the root of e^(M h) + (M - 1) M h = M eta_Y t + 1 (eq. 45).
    Raises ValueError for t < 0, eta_Y <= 0, M < 2, and if M eta_Y t overflows.
    """
    t, eta_Y, M = *require_at_least(0.0, t=t), *require_above(0.0, eta_Y=eta_Y), *require_at_least(2.0, M=M)
    with np.errstate(over="ignore"):
        total = M * eta_Y * t
    require_at_least(0.0, M_eta_t=total)
    # Newton's method for the root x = M h of expm1(x) + (M - 1) x - total, which is increasing and convex in x. The
    # first x is not below the root, so the iterates decrease, and no exponential exceeds total + 1. When they decrease
    # no further, only rounding separates them from the root.
    x = np.minimum(total / M, np.log1p(total))
    while True:
        newton = x - (np.expm1(x) + (M - 1) * x - total) / (np.exp(x) + M - 1)
        if np.all(newton >= x):
            return x / M
        x = np.minimum(newton, x)


@takes_arrays()
def gamma(t: ArrayLike, eta_Y: ArrayLike, M: ArrayLike, K: ArrayLike) -> Array:
    """Return gamma, the common factor of the gradients g_n in Theorem 1: (M - 1)^2 h(t/K) / (M - 1 + e^(M h(t/K))).

    Eq. 85 has h(ceil(t/K)) instead of h(t/K): call ``gamma(K * np.ceil(t / K), ...)`` for it. Eq. 128 integrates gamma
    with h(t/K).
    Raises ValueError as ``h`` does, and for K < 1.
    """
    values, M = h(np.asarray(t) / require_at_least(1.0, K=K)[0], eta_Y, M), np.asarray(M)
    return (M - 1) * values * scipy.special.expit(-_log_odds(values, M))


@takes_arrays()
def asymptotic_gamma(t: ArrayLike, eta_Y: ArrayLike, M: ArrayLike, K: ArrayLike) -> Array:
    """Return the approximations of gamma in the two stages of Lemma 9.

    They are eta_Y t / K up to t0' (``scanning_end``), and K ln(M eta_Y t / K) / (eta_Y t) from t0 (``snapping_start``)
    on. Between t0' and t0 the result is NaN. Theorem 1(b) prints the second one without M in the logarithm, which does
    not approximate gamma.
    Raises ValueError as ``scanning_end`` and ``snapping_start`` do.
    """
    early, late = stages(t, eta_Y, M, K)
    t, eta_Y, M, K = (np.asarray(value, dtype=float) for value in (t, eta_Y, M, K))
    progress = eta_Y * t / K
    end = eta_Y * np.maximum(t, snapping_start(eta_Y, M, K)) / K
    return np.where(early, progress, np.where(late, np.log(M * end) / end, np.nan))


@takes_arrays()
def omega_1(M: ArrayLike) -> Array:
    """Return the positive root w of M^w = (1 + w) ln(M) (M - 1) / M (Lemma 8), which tends to zero as M grows.

    u = (1 + w) ln(M) solves e^u = (M - 1) u. Raises ValueError for M < 4, because no integer M < 4 has a positive root.
    """
    M = require_at_least(4.0, M=M)[0]
    return -scipy.special.lambertw(-1 / (M - 1), k=-1).real / np.log(M) - 1


@takes_arrays()
def scanning_end(eta_Y: ArrayLike, M: ArrayLike, K: ArrayLike) -> Array:
    """Return t0' = K ln(M) / eta_Y, where the first stage of Theorem 4 ends.

    Raises ValueError for eta_Y <= 0, M < 2 and K < 1.
    """
    return require_at_least(1.0, K=K)[0] * np.log(require_at_least(2.0, M=M)[0]) / require_above(0.0, eta_Y=eta_Y)[0]


@takes_arrays()
def snapping_start(eta_Y: ArrayLike, M: ArrayLike, K: ArrayLike) -> Array:
    """Return t0 = 2 (1 + omega_1) K ln(M) / eta_Y, where the second stage of Theorem 4 begins.

    Theorem 4 has 1 + o(1) instead of 1 + omega_1, which is from Lemma 9. As M grows, t0 / ``scanning_end`` tends to 2.
    Raises ValueError for eta_Y <= 0, M < 4 and K < 1.
    """
    return 2 * (1 + omega_1(M)) * scanning_end(eta_Y, M, K)


@takes_arrays()
def stages(t: ArrayLike, eta_Y: ArrayLike, M: ArrayLike, K: ArrayLike) -> tuple[Flags, Flags]:
    """Return two masks: true where t is in the first stage of Theorem 4 (t <= t0'), and in the second (t >= t0).

    Raises ValueError for t < 0, and as ``snapping_start`` does.
    """
    t = require_at_least(0.0, t=t)[0]
    return t <= scanning_end(eta_Y, M, K), t >= snapping_start(eta_Y, M, K)


@takes_arrays()
def logit_curves(steps: int, eta_Y: ArrayLike, M: float) -> LogitCurves:
    """Return h*(s) and h(s) of Fig 8 for s = 0, ..., steps and each learning rate in eta_Y, a vector.

    Raises ValueError as ``h_star`` and ``h`` do.
    """
    step = np.arange(steps + 1.0)
    return LogitCurves(step, h_star(steps, np.asarray(eta_Y), M).T, h(step, np.asarray(eta_Y)[:, None], M))


def _log_odds(h: Array, M: Array) -> Array:
    # ln(alpha / (1 - alpha)) for alpha = e^(M h) / (M - 1 + e^(M h)), the probability of the next token.
    return M * h - np.log(M - 1)

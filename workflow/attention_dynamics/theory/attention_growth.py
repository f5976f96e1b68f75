"""Growth of attention before it snaps: B_n and the growth factor chi (Scan and snap, Section 6 and Appendix F).

The formulas hold for one common token and one dominant distinct token per class. They depend on time only through h of
``growth_laws``.
"""

from dataclasses import dataclass

import numpy as np
import scipy  # Not scipy.optimize: SciPy loads it on first use, and reading a configuration does not need it.
from numpy.typing import ArrayLike

from attention_dynamics.problems.arrays import own_arrays, takes_arrays
from attention_dynamics.problems.problem import Array
from attention_dynamics.theory.argument_checks import require_above, require_at_least
from attention_dynamics.theory.growth_laws import gamma, h, snapping_start, stages


@dataclass(frozen=True)
class AttentionGrowth:
    """Closed forms for the growth of attention.

    eta_Y, eta_Z: learning rates of Y and Z. M: number of tokens. K: number of classes. C0: rho_0^4 / K (eq. 13).
    The fields may be arrays, which broadcast against each other and against t, the number of steps.
    Raises ValueError unless eta_Y, eta_Z and C0 are positive, M >= 4 and K >= 1.
    """

    eta_Y: float | Array  # noqa: N815
    eta_Z: float | Array  # noqa: N815
    M: float | Array
    K: float | Array
    C0: float | Array = 1.0

    def __post_init__(self) -> None:
        own_arrays(self)
        require_above(0.0, eta_Y=self.eta_Y, eta_Z=self.eta_Z, C0=self.C0)
        require_at_least(4.0, M=self.M)
        require_at_least(1.0, K=self.K)

    @takes_arrays()
    def integrated_gamma(self, t: ArrayLike) -> Array:
        """Return Gamma = eta_Z int_0^t gamma = (eta_Z / eta_Y) K (M - 1)^2 h(t/K)^2 / 2 (eq. 128)."""
        return self._integrated_gamma(self._h(t))

    @takes_arrays()
    def exponent(self, t: ArrayLike) -> Array:
        """Return B_n = eta_Z int_0^t xi_n = ln(1 + 4 Gamma / C0) / 4, the integral of eq. 123. B_n(0) = 0."""
        return np.log1p(4 * self.integrated_gamma(t) / self.C0) / 4

    @takes_arrays()
    def printed_exponent(self, t: ArrayLike) -> Array:
        """Return B_n as the paper prints it, ln(C0 + 4 Gamma) / 4 (eqs. 124 and 129).

        It is ``exponent`` plus ln(C0) / 4.
        """
        return self._printed(self._h(t))

    @takes_arrays()
    def asymptotic_exponent(self, t: ArrayLike) -> Array:
        """Return B_n by eq. 14 (Theorem 4), which approximates ``printed_exponent`` for t <= t0' and for t >= t0.

        The result is NaN for t between t0' and t0 (``growth_laws.scanning_end`` and ``snapping_start``).
        """
        early, late = stages(t, self.eta_Y, self.M, self.K)
        scanning = self.eta_Y * np.asarray(t) / (self.K * self.M)
        snapping = self._late_h(np.maximum(t, snapping_start(self.eta_Y, self.M, self.K)))
        return self._printed(np.where(early, scanning, np.where(late, snapping, np.nan)))

    @takes_arrays()
    def late_exponent(self, t: ArrayLike) -> Array:
        """Return B_n by eq. 132, ln(ln(M eta_Y t / K)) / 2 + ln(2 K (M - 1)^2 M^-2 eta_Z / eta_Y) / 4.

        Raises ValueError unless M eta_Y t > K.
        """
        require_above(1.0, M_eta_t_over_K=self.M * self.eta_Y * np.asarray(t) / self.K)
        return np.log(4 * self._integrated_gamma(self._late_h(t))) / 4

    @takes_arrays()
    def factor(self, t: ArrayLike) -> Array:
        """Return chi = e^(2 B_n), the upper bound of eq. 12 on the growth factor of the dominant token."""
        return np.exp(2 * self.exponent(t))

    @takes_arrays()
    def local_exponent(self, t: ArrayLike) -> Array:
        """Return d ln(chi) / d ln(t) = 2 t eta_Z gamma / (C0 + 4 Gamma).

        It is near 1 for t far below t0' if 4 Gamma(t) is much larger than C0. It tends to 0 as t grows beyond t0.
        """
        rate = self.eta_Z * gamma(t, self.eta_Y, self.M, self.K)
        return 2 * np.asarray(t) * rate / (self.C0 + 4 * self.integrated_gamma(t))

    def _h(self, t: ArrayLike) -> Array:
        return h(np.asarray(t) / self.K, self.eta_Y, self.M)

    def _late_h(self, t: ArrayLike) -> Array:
        return np.log(self.M * self.eta_Y * np.asarray(t) / self.K) / self.M

    def _integrated_gamma(self, h: Array) -> Array:
        return self.eta_Z / self.eta_Y * self.K * ((self.M - 1) * h) ** 2 / 2

    def _printed(self, h: Array) -> Array:
        return np.log(self.C0 + 4 * self._integrated_gamma(h)) / 4


def crossing_time(slow: float, fast: float, M: float, K: float) -> float:
    """Return the time after which B_n and chi are larger with eta_Y = ``slow`` than with eta_Y = ``fast`` (Fig 3).

    If C0 and eta_Z are the same with both rates, the time does not depend on them.
    Raises ValueError unless 0 < slow < fast, M >= 4 and K >= 1.
    """
    if not 0 < slow < fast:
        raise ValueError(f"needs 0 < slow < fast, got {slow} and {fast}")
    lead = lambda t: np.log(h(t / K, fast, M) / h(t / K, slow, M)) - np.log(fast / slow) / 2  # noqa: E731
    # lead is half the logarithm of Gamma(fast) / Gamma(slow). For small t, h(t / K) is proportional to eta_Y t, so lead
    # is ln(fast / slow) / 2 > 0. Long after t0 of ``slow``, the ratio of the two h tends to 1, so lead is negative.
    start = snapping_start(slow, M, K)
    return scipy.optimize.brentq(lead, 1e-6 * start, 10 * start, xtol=1e-12 * start, rtol=1e-12)

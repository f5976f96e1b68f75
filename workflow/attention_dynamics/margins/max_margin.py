"""The quadratic program of every Euclidean SVM in this package, solved, polished and certified.

    min |w|^2 / 2   subject to   A w >= b,      b >= 0.

Its dual is max b'y - |A'y|^2 / 2 over y >= 0, with w = A'y at the optimum.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import NamedTuple, cast

import cvxopt
import cvxopt.solvers
import numpy as np
import scipy  # Not scipy.optimize: SciPy loads its submodules on first use, and reading a configuration needs none.
from numpy.typing import NDArray

from attention_dynamics.problems.arrays import own_arrays, takes_arrays
from attention_dynamics.problems.problem import Array
from attention_dynamics.scaling import binary_scale

MAX_ACTIVE_SET_CHANGES = 200
TIGHT_TOLERANCE = 1e-6
RANK_TOLERANCE = 1e-14
CERTIFICATE_TOLERANCE = 1e-8
# Required margins below this fraction of the largest required margin are lost in the rounding of A w.
SMALLEST_PART = 1e-15
# With a residual below this, a solution would be longer than 1e12 / max|A|, so that rounding would dominate A w.
CLEARLY_INFEASIBLE_RESIDUAL = 1e-12


class SolverError(RuntimeError):
    """Neither a certified solution nor a certificate of infeasibility was found."""


@dataclass(frozen=True)
class Solution:
    """A max-margin solution with its certificate; |.| is the l_p norm with p = exponent.

    weights: (d,), the solution w.
    margins: (m,), A w.
    duals: (m,), the multipliers y >= 0.
    gap: relative duality gap, (|w|^2/2 - dual value) / (|w|^2/2).
    residual: largest violation of the Karush-Kuhn-Tucker (KKT) conditions: stationarity, A'y = gradient of |w|^2/2 (w
        for p = 2), relative to |w|; A w >= b and y >= 0, in the units of ``ScaledProgram``; complementary slackness,
        relative to |w|^2.
    """

    weights: Array
    margins: Array
    duals: Array
    gap: float
    residual: float
    exponent: float = field(default=2.0, kw_only=True)

    def __post_init__(self) -> None:
        own_arrays(self)

    @property
    def norm(self) -> float:
        """|w|. If b = 1, the smallest margin of the unit vector w / |w| is 1 / |w|."""
        # For p other than 2, w is scaled only if its powers could leave the floating-point range, because scaling
        # changes their last bits.
        unit = float(binary_scale(self.weights)[0])
        scale = unit if self.exponent == 2 or not 1e-30 < unit < 1e30 else 1.0
        return float(scale * np.linalg.norm(self.weights / scale, self.exponent))

    @property
    def objective(self) -> float:
        """|w|^2 / 2; infinite where it is beyond the floating-point range."""
        with np.errstate(over="ignore"):
            return float(0.5 * np.float64(self.norm) ** 2)

    @property
    def error(self) -> float:
        """The larger of |gap| and residual."""
        return max(abs(self.gap), self.residual)

    @property
    def direction(self) -> Array:
        """w divided by its Euclidean norm, for every p, (d,)."""
        scaled = self.weights / binary_scale(self.weights)
        return scaled / float(np.linalg.norm(scaled))

    @property
    def support(self) -> NDArray[np.bool_]:
        """True for constraints with a multiplier above TIGHT_TOLERANCE times the largest one, (m,) booleans."""
        positive: NDArray[np.bool_] = self.duals > TIGHT_TOLERANCE * max(float(self.duals.max(initial=0.0)), 1e-300)
        return positive


@dataclass(frozen=True)
class Infeasible:
    """Answer that no w satisfies A w >= b, with a certificate by Farkas' lemma.

    certificate: (m,), y >= 0 with b'y = 1 and A'y = 0 up to ``residual``.
    residual: |A'y| / max|A| of the scaled program (``ScaledProgram``). As b'y = 1, every w that meets the
        constraints has |w| >= 1 / |A'y|. A program that is called infeasible therefore has no solution shorter than
        1e8 max(b) / (2 max|A|).
    """

    certificate: Array
    residual: float

    def __post_init__(self) -> None:
        own_arrays(self)


class ScaledProgram(NamedTuple):
    """A max-margin program scaled by powers of two, so that max|A| and max(b) are from 1 to 2 (unless A = 0).

    A: (m, d); b: (m,). units: the exponents of the powers of two by which A and b were divided.
    """

    A: Array
    b: Array
    units: tuple[int, int]

    @classmethod
    @takes_arrays()
    def of(cls, constraints: Array, required: Array) -> "ScaledProgram":
        """Return the scaled program. Arguments: see ``solve_max_margin``. Raises ValueError for invalid arguments."""
        A, b = constraints, required
        if A.ndim != 2 or b.shape != A.shape[:1] or not np.isfinite(A).all() or not np.isfinite(b).all():
            raise ValueError(f"constraints (m, d) and required (m,) must be finite, got {A.shape} and {b.shape}")
        if (b < 0).any() or not (b > 0).any():
            raise ValueError("required margins must be >= 0 and not all zero")
        if (least := b[b > 0].min()) < SMALLEST_PART * b.max():
            raise ValueError(
                f"required margins from {least:.0e} to {b.max():.0e}: those that are not 0 must be at least "
                f"{SMALLEST_PART:.0e} of the largest"
            )
        exponents = [int(np.frexp(np.abs(part).max(initial=0.0))[1]) - 1 if part.any() else 0 for part in (A, b)]
        return cls(np.ldexp(A, -exponents[0]), np.ldexp(b, -exponents[1]), (exponents[0], exponents[1]))

    def restore(self, answer: Solution | Infeasible) -> Solution | Infeasible:
        """Return an answer to the scaled program in the units of the original program.

        Raises ValueError if the answer leaves the floating-point range.
        """
        of_A, of_b = self.units
        if isinstance(answer, Infeasible):
            return replace(answer, certificate=_times_power(answer.certificate, -of_b))
        return replace(
            answer,
            weights=_times_power(answer.weights, of_b - of_A),
            margins=_times_power(answer.margins, of_b),
            duals=_times_power(answer.duals, of_b - 2 * of_A),
        )


def _times_power(values: Array, exponent: int) -> Array:
    largest = np.frexp(np.abs(values).max(initial=0.0))[1] + exponent
    if values.any() and not -1021 <= largest <= 1024:
        raise ValueError(
            f"constraints: the solution has numbers of about 2^{largest}, beyond the floating-point range; rescale the "
            "constraints or the required margins"
        )
    return np.ldexp(values, exponent)


@takes_arrays()
def solve_max_margin(constraints: Array, required: Array) -> Solution | Infeasible:
    """Return the certified solution of min |w|^2/2 subject to constraints @ w >= required, or Infeasible.

    constraints: (m, d); required: (m,), not negative and not all zero.

    The program is solved in coordinates of the row space of the constraints, so that its size does not grow with d.
    Non-negative least squares (Lawson and Hanson's least-distance reduction) finds a certificate of infeasibility or
    proposes an active set. The program is then solved exactly, starting from this active set. If the result is not
    certified, cvxopt proposes another active set. The solutions of cvxopt itself are not used, because they have
    relative gaps of 1e-6 and, at times, the status "unknown" for a feasible program.

    Raises SolverError if neither a solution nor a certificate of infeasibility has an error of at most 1e-8.
    Raises ValueError for inputs of the wrong shape or not finite, for a required margin above 0 but below 1e-15 of the
    largest, and for a solution beyond the floating-point range.
    """
    program = ScaledProgram.of(constraints, required)
    return program.restore(solve_scaled(program.A, program.b))


def solve_scaled(A: Array, b: Array) -> Solution | Infeasible:
    """Return the answer to a scaled program (``ScaledProgram``). Raises SolverError as ``solve_max_margin``."""
    reduced, lift = _row_space(A)
    nearest = _least_distance(reduced, b)
    infeasible = _certify_infeasible(A, b, nearest)
    if infeasible is not None and infeasible.residual <= CLEARLY_INFEASIBLE_RESIDUAL:
        return infeasible
    proposals: tuple[Callable[[], NDArray[np.int64]], ...] = (
        lambda: np.flatnonzero(nearest),
        lambda: _cvxopt_active_set(reduced, b),
    )
    for propose in proposals:
        polished = _polish(reduced, b, propose())
        if polished is not None:
            w, duals = polished
            solution = _certify(A, b, lift(w), duals)
            if solution.error <= CERTIFICATE_TOLERANCE:
                return solution
    if infeasible is None:
        raise SolverError(f"max-margin program with {A.shape[0]} constraints in R^{A.shape[1]}: no certified answer")
    return infeasible


def _row_space(A: Array) -> tuple[Array, Callable[[Array], Array]]:
    """Return A in an orthonormal basis of its row space, (m, min(m, d)), and the map from coordinates back to R^d."""
    # Q is kept as a product of reflections and not formed. For large d, most of the time is spent in this function, and
    # forming Q would double that time.
    packed, tau, _, _ = scipy.linalg.lapack.dgeqrf(A.T)
    k, d = len(tau), A.shape[1]

    def lift(w: Array) -> Array:
        padded = np.append(w, np.zeros(d - k))[:, None]
        return cast(Array, scipy.linalg.lapack.dormqr("L", "N", packed[:, :k], tau, padded, 64)[0][:, 0])

    return np.triu(packed[:k]).T, lift


def _least_distance(A: Array, b: Array) -> Array:
    """Return the y >= 0, (m,), that minimizes |A'y / max|A||^2 + (b'y - 1)^2.

    This y is a multiple of the dual solution, or a Farkas certificate if the minimum is zero. Return 0 if the iteration
    does not converge.
    """
    scale, target = np.abs(A).max() or 1.0, np.append(np.zeros(A.shape[1]), 1.0)
    try:
        return cast(Array, scipy.optimize.nnls(np.vstack([A.T / scale, b]), target, maxiter=100 * len(A))[0])
    except RuntimeError:  # no convergence
        return np.zeros(len(A))


def _cvxopt_active_set(A: Array, b: Array) -> NDArray[np.int64]:
    """Return the indices of constraints whose multiplier exceeds the slack in cvxopt's answer; none if it raises."""
    try:
        program = (cvxopt.matrix(part) for part in (np.eye(A.shape[1]), np.zeros(A.shape[1]), -A, -b))
        answer = cvxopt.solvers.qp(*program, options={"show_progress": False})
    except (ValueError, ArithmeticError):  # what cvxopt raises, undocumented, on some infeasible programs
        return np.zeros(0, dtype=np.int64)
    duals, slacks = np.array(answer["z"]).ravel(), np.array(answer["s"]).ravel()
    return np.flatnonzero(duals > slacks)


def _polish(A: Array, b: Array, proposed: NDArray[np.int64]) -> tuple[Array, Array] | None:
    """Return the solution and its multipliers, found by changing the active set one constraint at a time.

    proposed: indices of the constraints in the first active set. Return None if the active set becomes empty, or is not
    final after MAX_ACTIVE_SET_CHANGES changes.
    """
    active: list[int] = proposed.tolist()
    for _ in range(MAX_ACTIVE_SET_CHANGES):
        if not active:
            return None
        w, y = _solve_equations(A[active], b[active])
        if y.min() < 0:
            active.pop(int(y.argmin()))
            continue
        shortfall = b - A @ w
        worst = int(shortfall.argmax())
        if shortfall[worst] <= 1e-12 * max(1.0, float(np.linalg.norm(w))) or worst in active:
            duals = np.zeros(len(b))
            duals[active] = y
            return w, duals
        active.append(worst)
    return None


def _solve_equations(A: Array, b: Array) -> tuple[Array, Array]:
    """Return the shortest w with A w = b and the shortest y with w = A'y, in the sense of least squares."""
    # The singular values of A are used, not A A', which would square the condition number.
    left, singular, right = np.linalg.svd(A, full_matrices=False)
    inverse = np.divide(1.0, singular, out=np.zeros_like(singular), where=singular > RANK_TOLERANCE * singular[0])
    coordinates = inverse * (left.T @ b)
    return right.T @ coordinates, left @ (inverse * coordinates)


def _certify(A: Array, b: Array, w: Array, duals: Array) -> Solution:
    """Return w and its multipliers as a ``Solution``, with gap and residual."""
    margins, pulled = A @ w, A.T @ duals
    size = max(float(w @ w), 1e-300)
    gap = (0.5 * (w @ w) - (b @ duals - 0.5 * (pulled @ pulled))) / (0.5 * size)
    residual = max(
        np.linalg.norm(w - pulled) / np.sqrt(size),
        (b - margins).max(initial=0.0),
        np.abs(duals * (margins - b)).max(initial=0.0) / size,
        -duals.min(initial=0.0),
    )
    return Solution(w, margins, duals, float(gap), float(residual))


def _certify_infeasible(A: Array, b: Array, y: Array) -> Infeasible | None:
    """Return y, scaled to b'y = 1, as a certificate; None if b'y <= 0 or the residual exceeds CERTIFICATE_TOLERANCE."""
    if b @ y <= 0:
        return None
    y = y / (b @ y)
    residual = float(np.linalg.norm(A.T @ y) / (np.abs(A).max() or 1.0))
    return Infeasible(y, residual) if residual <= CERTIFICATE_TOLERANCE else None

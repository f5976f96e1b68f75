"""The max-margin program in an l_p norm, solved, polished and certified (Mirror descent, l_p-AttSVM and l_p-SVM).

    min |w|_p^2 / 2   subject to   A w >= b,      b >= 0,      1 < p <= 10.

Its dual is max b'y - |A'y|_q^2 / 2 over y >= 0, with q = p / (p - 1); so |w|_p >= b'y / |A'y|_q for every such y.
"""

import warnings

import numpy as np
import scipy.linalg

from attention_dynamics.margins.lp_norms import lp_norm, mirror_image
from attention_dynamics.margins.max_margin import Infeasible, Solution, SolverError, solve_max_margin
from attention_dynamics.problems.problem import Array

NEWTON_STEPS = 20
ACTIVE_SET_CHANGES = 10
FEASIBLE = 1e-7
CERTIFIED = 1e-6


def solve_lp_max_margin(constraints: Array, required: Array, exponent: float) -> Solution | Infeasible:
    """Solve min |w|_p^2 / 2 subject to constraints @ w >= required.

    constraints: (m, d); required: (m,), not negative and not all zero; exponent: p, in (1, 10].
    Feasibility does not depend on p: ``solve_max_margin`` decides it, and for p = 2 its answer is the answer. Otherwise
    CLARABEL, through cvxpy as in the paper's code, proposes weights and multipliers; Newton's method on the conditions
    of optimality takes them from some 1e-8 to rounding. The better of the two is scaled to meet the constraints, and
    weak duality says how good it is. What the gap cannot tell: for large p an entry of w that ought to be 0 may be
    larger than rounding, 1e-8 of |w| for p = 3 and 1e-2 for p = 10, and change |w| by no more than rounding.
    Raises SolverError where that is worse than a relative gap of 1e-6, and ValueError for an exponent out of range and
    as ``solve_max_margin``.
    """
    if not 1 < exponent <= 10:
        raise ValueError(f"exponent: need 1 < p <= 10, got {exponent}")
    euclidean = solve_max_margin(constraints, required)
    if exponent == 2 or isinstance(euclidean, Infeasible):
        return euclidean
    A, b = np.asarray(constraints, dtype=float), np.asarray(required, dtype=float)
    # The solvers' tolerances are absolute. In these units the solution is no longer than one.
    unit = lp_norm(euclidean.weights, exponent)
    proposed = _conic_solution(A * unit, b, exponent)
    polished = _polish(A * unit, b, *proposed, exponent)
    solutions = [_certify(A, b, unit * w, y, exponent) for w, y in (polished, proposed)]
    best = min(solutions, key=lambda solution: solution.gap)
    shortfall = (b - best.margins).max()
    if not (best.gap <= CERTIFIED and shortfall <= FEASIBLE * b.max()):
        raise SolverError(
            f"l_{exponent:g} max-margin program with {A.shape[0]} constraints in R^{A.shape[1]}: relative gap "
            f"{best.gap:.1e} (at most {CERTIFIED:.0e}), margins short by {shortfall:.1e} (at most {FEASIBLE:.0e})"
        )
    return best


def _conic_solution(A: Array, b: Array, p: float) -> tuple[Array, Array]:
    """Weights and multipliers according to CLARABEL, the multipliers up to scale."""
    import cvxpy  # takes seconds to import; few problems have an l_p SVM

    weights = cvxpy.Variable(A.shape[1])
    constraint = A @ weights >= b
    # With second-order cones and p rounded to a fraction: power cones are exact, but CLARABEL fails now and then.
    program = cvxpy.Problem(cvxpy.Minimize(cvxpy.pnorm(weights, p)), [constraint])
    try:
        with warnings.catch_warnings(action="ignore"):  # that it may be inaccurate: we judge that ourselves
            program.solve(solver=cvxpy.CLARABEL)
    except (cvxpy.SolverError, cvxpy.DCPError) as error:  # the latter where p is rounded to 1
        raise SolverError(f"l_{p:g} max-margin program: {str(error).splitlines()[0]}") from None
    if weights.value is None:
        raise SolverError(f"l_{p:g} max-margin program, which is feasible: CLARABEL finds it {program.status}")
    return weights.value, constraint.dual_value


def _polish(A: Array, b: Array, w: Array, y: Array, p: float) -> tuple[Array, Array]:
    """The exact weights and multipliers near those given, by Newton's method on an active set that is corrected where
    it was misjudged; what has been reached if that does not settle.
    """
    active = y > A @ w - b
    # In units of w, where its powers are neither huge nor tiny.
    size = lp_norm(w, p)
    A, w, y = size * A, w / size, np.where(active, y, 0.0) / max(b @ y, 1e-300)
    for _ in range(ACTIVE_SET_CHANGES):
        w, y[active] = _newton(A[active], b[active], w, y[active], p)
        wrong = np.where(active, y < 0, A @ w < b - 1e-12)
        if not wrong.any():
            break
        active ^= wrong
        y[wrong] = 0.0
    return size * w, y


def _newton(A: Array, b: Array, w: Array, y: Array, p: float) -> tuple[Array, Array]:
    """Newton's method on mirror_image(w) = A'y and A w = b, until its steps no longer shrink."""
    q, last = p / (p - 1), 1.0
    for _ in range(NEWTON_STEPS):
        g = A.T @ y
        # Of w -> g and g -> w only one has a derivative at 0.
        if p > 2:
            by_w, by_g, rest = (p - 1) * np.abs(w) ** (p - 2), np.ones_like(g), g - mirror_image(w, p)
        else:
            by_w, by_g, rest = np.ones_like(w), (q - 1) * np.abs(g) ** (q - 2), mirror_image(g, q) - w
        system = np.block([[np.diag(by_w), -by_g[:, None] * A.T], [A, np.zeros((len(b), len(b)))]])
        # Least squares, because active constraints may depend on each other.
        step = scipy.linalg.lstsq(system, np.append(rest, b - A @ w), lapack_driver="gelsy")[0]
        if not np.abs(step).max() < last:
            break
        w, y, last = w + step[: len(w)], y + step[len(w) :], np.abs(step).max()
    return w, y


def _certify(A: Array, b: Array, w: Array, y: Array, p: float) -> Solution:
    """The solution along w and y, the latter without its negative part. Both are scaled: w to the least length that
    meets the constraints with b > 0, y to the best lower bound. The gap is infinite where no length of w meets them.
    """
    q, y = p / (p - 1), np.maximum(y, 0.0)
    margins, pulled = A @ w, A.T @ y
    smallest = (margins[b > 0] / b[b > 0]).min()
    if not smallest > 0:
        return Solution(w, margins, y, np.inf, np.inf, exponent=p)
    w, margins = w / smallest, margins / smallest
    factor = b @ y / max(lp_norm(pulled, q) ** 2, 1e-300)
    y, pulled = factor * y, factor * pulled
    norm, bound = lp_norm(w, p), lp_norm(pulled, q)
    if p > 2:
        stationarity = lp_norm(mirror_image(w / norm, p) - pulled / norm, q)
    else:
        stationarity = lp_norm(w / norm - mirror_image(pulled / norm, q), p)
    slackness = np.abs(y * (margins - b)).max() / norm**2
    residual = max(stationarity, (b - margins).max(), slackness)
    return Solution(w, margins, y, 1 - (bound / norm) ** 2, float(residual), exponent=p)

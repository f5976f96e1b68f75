"""The max-margin program in an l_p norm, solved and certified (Mirror descent, l_p-AttSVM and l_p-SVM).

    min |w|_p^2 / 2   subject to   A w >= b,      b >= 0,      1 < p <= 10.

Its dual is max b'y - |A'y|_q^2 / 2 over y >= 0, with q = p / (p - 1); so |w|_p >= b'y / |A'y|_q for every feasible w
and every y >= 0.
"""

from collections.abc import Callable, Sequence
from typing import Any

import clarabel
import numpy as np
import scipy  # Not scipy.sparse: SciPy loads its submodules on first use, and reading a configuration needs none.

from attention_dynamics.margins.lp_certificate import certify
from attention_dynamics.margins.lp_newton import solve_by_newton
from attention_dynamics.margins.lp_norms import lp_norm, mirror_image
from attention_dynamics.margins.max_margin import Infeasible, ScaledProgram, Solution, SolverError, solve_scaled
from attention_dynamics.problems.arrays import takes_arrays
from attention_dynamics.problems.problem import Array

MAX_POLISH_STEPS = 20
MAX_ACTIVE_SET_CHANGES = 10
FEASIBILITY_TOLERANCE = 1e-7
CERTIFICATE_TOLERANCE = 1e-6
# Newton's method, started at the Euclidean solution, has converged when |gap| and residual are at most this.
NEWTON_TOLERANCE = 1e-12
# With Clarabel's default tolerance, 1e-8, ``_polish`` sometimes finds no final active set. With the default step
# fraction, 0.99, Clarabel ended without progress on 8 of 21,731 random programs; with 0.9 on none.
SOLVER_TOLERANCE = 1e-10
SOLVER_STEP_FRACTION = 0.9


@takes_arrays()
def solve_lp_max_margin(constraints: Array, required: Array, exponent: float) -> Solution | Infeasible:
    """Return the certified solution of min |w|_p^2 / 2 subject to constraints @ w >= required, or Infeasible.

    constraints: (m, d); required: (m,), not negative and not all zero; exponent: p, in (1, 10].

    Feasibility does not depend on p: the Euclidean solver decides it, and for p = 2 its answer is returned. For another
    p, Newton's method starts from the Euclidean solution. If it does not converge, Clarabel proposes weights and
    multipliers, and Newton's method on the active set refines them. Of the proposed and the refined pair, the one with
    the smaller absolute gap is taken. Solutions are scaled to meet the constraints, and their relative duality gap
    bounds how far |w| is from the optimum.
    A small gap does not make single entries exact: for large p an entry of w that should be 0 may be as large as 1e-8
    |w| for p = 3 and 1e-2 |w| for p = 10, and still change |w| by no more than rounding.

    Raises SolverError as ``solve_max_margin``, and if Clarabel finds no solution.
    Raises SolverError if the absolute value of the relative gap is above 1e-6, or if a margin falls short by more than
    1e-7 of the largest required margin.
    Raises ValueError for an exponent out of range, and as ``solve_max_margin``.
    """
    _check_exponent(exponent)
    program = ScaledProgram.of(constraints, required)
    A, b, _ = program
    euclidean = solve_scaled(A, b)
    if exponent == 2 or isinstance(euclidean, Infeasible):
        return program.restore(euclidean)
    (newton,) = solve_by_newton(A[None], b, [euclidean], exponent)
    return program.restore(_accept_or_solve(newton, A, b, euclidean, exponent))


@takes_arrays()
def solve_lp_max_margins(
    constraints: Array, required: Array, exponents: Sequence[float]
) -> list[list[Solution | Infeasible | None]]:
    """Return the answers to min |w|_p^2 / 2 subject to constraints[k] @ w >= required, for all exponents p and all k.

    constraints: (programs, m, d); required: (m,), not negative and not all zero. The result has, for every exponent, a
    list of the answers of ``solve_lp_max_margin``, with None where that function would raise SolverError. The answer to
    a program does not depend on the other programs. Raises ValueError as ``solve_lp_max_margin``.
    """
    for p in exponents:
        _check_exponent(p)
    programs = [ScaledProgram.of(A, required) for A in constraints]
    euclidean = [_or_none(solve_scaled, program.A, program.b) for program in programs]
    starts = {k: answer for k, answer in enumerate(euclidean) if isinstance(answer, Solution)}
    answers = []
    for p in exponents:
        found = list(euclidean)
        if p != 2 and starts:
            A, b = np.stack([programs[k].A for k in starts]), programs[0].b
            iterates = solve_by_newton(A, b, list(starts.values()), p)
            for (k, start), newton in zip(starts.items(), iterates, strict=True):
                found[k] = _or_none(_accept_or_solve, newton, programs[k].A, b, start, p)
        restored = zip(programs, found, strict=True)
        answers.append([None if answer is None else program.restore(answer) for program, answer in restored])
    return answers


def _or_none(solve: Callable[..., Solution | Infeasible], *arguments: Any) -> Solution | Infeasible | None:
    """Return what a solver returns, or None where it raises SolverError."""
    try:
        return solve(*arguments)
    except SolverError:
        return None


def _check_exponent(exponent: float) -> None:
    if not 1 < exponent <= 10:
        raise ValueError(f"exponent: need 1 < p <= 10, got {exponent}")


def _accept_or_solve(newton: Solution, A: Array, b: Array, euclidean: Solution, p: float) -> Solution:
    """Return the iterate of Newton's method where it has converged, else Clarabel's solution."""
    return newton if newton.error <= NEWTON_TOLERANCE else _solve_by_cones(A, b, euclidean, p)


def _solve_by_cones(A: Array, b: Array, euclidean: Solution, p: float) -> Solution:
    """Return the solution that Clarabel finds and ``_polish`` refines, for a feasible program.

    euclidean: the solution for p = 2. Raises SolverError as ``solve_lp_max_margin``.
    """
    # The tolerances of both steps are absolute, so the program is solved in units in which |w|_p is at most 1.
    unit = lp_norm(euclidean.weights, p)
    proposed = _solve_conic_program(A * unit, b, p)
    with np.errstate(over="ignore", invalid="ignore"):
        polished = _polish(A * unit, b, *proposed, p)
    solutions = [certify(A, b, unit * w, y, p) for w, y in (proposed, polished)]
    best = min(solutions, key=lambda solution: abs(solution.gap))
    shortfall = (b - best.margins).max()
    if not (abs(best.gap) <= CERTIFICATE_TOLERANCE and shortfall <= FEASIBILITY_TOLERANCE * b.max()):
        raise SolverError(
            f"l_{p:g} max-margin program with {A.shape[0]} constraints in R^{A.shape[1]}: relative gap "
            f"{best.gap:.1e} (at most {CERTIFICATE_TOLERANCE:.0e}), margins short by {shortfall:.1e} "
            f"(at most {FEASIBILITY_TOLERANCE:.0e})"
        )
    return best


def _solve_conic_program(A: Array, b: Array, p: float) -> tuple[Array, Array]:
    """Return the weights, (d,), and multipliers, (m,), that Clarabel finds. The multipliers have an arbitrary scale.

    The program is min s over (w, t, s) subject to A w >= b, sum(t) = s and |w_j| <= t_j^(1/p) s^(1 - 1/p), so that
    s = |w|_p. Raises SolverError where Clarabel finds no solution.
    """
    m, d = A.shape
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = SOLVER_TOLERANCE
    settings.max_step_fraction = SOLVER_STEP_FRACTION
    # QDLDL, because its result does not depend on the number of threads.
    settings.direct_solve_method = "qdldl"
    # The columns are w, t and s; the rows are those of sum(t) - s = 0, of A w - b >= 0 and of the powers (t_j, s, w_j).
    w, t, s = np.arange(d), np.arange(d, 2 * d), 2 * d
    sparse = scipy.sparse
    total = sparse.csc_matrix(np.concatenate([np.zeros(d), np.ones(d), [-1.0]])[None])
    margins = sparse.hstack([sparse.csc_matrix(-A), sparse.csc_matrix((m, d + 1))])
    columns = np.stack([t, np.full(d, s), w], axis=1).ravel()
    powers = sparse.csc_matrix((np.full(3 * d, -1.0), (np.arange(3 * d), columns)), (3 * d, s + 1))
    answer = clarabel.DefaultSolver(
        sparse.csc_matrix((s + 1, s + 1)),
        np.append(np.zeros(s), 1.0),
        sparse.vstack([total, margins, powers], format="csc"),
        np.concatenate([[0.0], -b, np.zeros(3 * d)]),
        [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(m), *[clarabel.PowerConeT(1 / p)] * d],
        settings,
    ).solve()
    weights, multipliers = np.array(answer.x)[:d], np.array(answer.z)[1 : m + 1]
    if "Infeasible" in str(answer.status) or not np.isfinite([*weights, *multipliers]).all():
        raise SolverError(f"l_{p:g} max-margin program, which is feasible: Clarabel ends with status {answer.status}")
    return weights, multipliers


def _polish(A: Array, b: Array, w: Array, y: Array, p: float) -> tuple[Array, Array]:
    """Return weights, (d,), and multipliers, (m,), refined to rounding by Newton's method on an active set.

    w, y: the weights and multipliers to refine. The first active set has the constraints whose multiplier exceeds the
    slack. The active set is corrected until it no longer changes, at most MAX_ACTIVE_SET_CHANGES times.
    """
    active = y > A @ w - b
    # w is rescaled to |w|_p = 1, so that its powers neither overflow nor underflow.
    size = lp_norm(w, p)
    A, w, y = size * A, w / size, np.where(active, y, 0.0) / max(b @ y, 1e-300)
    for _ in range(MAX_ACTIVE_SET_CHANGES):
        w, y[active] = _solve_active_set(A[active], b[active], w, y[active], p)
        wrong = np.where(active, y < 0, A @ w < b - 1e-12)
        if not wrong.any():
            break
        active ^= wrong
        y[wrong] = 0.0
    return size * w, y


def _solve_active_set(A: Array, b: Array, w: Array, y: Array, p: float) -> tuple[Array, Array]:
    """Return w and y with mirror_image(w) = A'y and A w = b, by Newton's method until its steps no longer shrink."""
    q, last = p / (p - 1), 1.0
    for _ in range(MAX_POLISH_STEPS):
        g = A.T @ y
        # Of two equivalent equations, the one with finite derivatives at 0 is solved: mirror_image(w, p) = g for p > 2,
        # and w = mirror_image(g, q) for p < 2.
        if p > 2:
            by_w, by_g, rest = (p - 1) * np.abs(w) ** (p - 2), np.ones_like(g), g - mirror_image(w, p)
        else:
            by_w, by_g, rest = np.ones_like(w), (q - 1) * np.abs(g) ** (q - 2), mirror_image(g, q) - w
        system = np.block([[np.diag(by_w), -by_g[:, None] * A.T], [A, np.zeros((len(b), len(b)))]])
        right = np.append(rest, b - A @ w)
        # The powers overflow if p is so close to 1 that q is huge.
        if not (np.isfinite(system).all() and np.isfinite(right).all()):
            break
        # The system is solved by least squares, because active constraints may be linearly dependent.
        step = scipy.linalg.lstsq(system, right, lapack_driver="gelsy")[0]
        if not np.abs(step).max() < last:
            break
        w, y, last = w + step[: len(w)], y + step[len(w) :], np.abs(step).max()
    return w, y

r"""Newton's method for the max-margin program in an l_p norm, from the Euclidean solution, for a batch of programs.

    min |w|_p^p / p   subject to   A w >= b,      b >= 0,      1 < p <= 10,

has the solutions of ``lp_max_margin``. The solutions w and their multipliers y are the common zeros of

    mirror_image(w) - A'y   and   y + s - sqrt(y^2 + s^2),   s = A w - b.

The second function is that of Fischer and Burmeister, which is zero exactly where y, s >= 0 and y s = 0. The exponent
goes from 2 to p in stages; each stage starts from the solution of the previous stage.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.margins.lp_certificate import certify
from attention_dynamics.margins.lp_norms import lp_norm, mirror_image
from attention_dynamics.margins.max_margin import Solution
from attention_dynamics.problems.problem import Array

# Largest factor by which p - 1 changes from one stage to the next.
STAGE_FACTOR = 2.0
MAX_NEWTON_STEPS = 40
# Fractions of a Newton step, tried in this order until one lowers the residual.
STEP_FRACTIONS = 0.5 ** np.arange(8)
# A stage ends when its residual is at most this, in units where w and the sum of y are about 1.
STAGE_TOLERANCE = 1e-13
# Entries of A'y below this part of the largest one are rounding errors.
ROUNDING = 1e-15
# This part of the largest diagonal entry of a Newton system is added to all diagonal entries, so that dependent
# constraints do not make the system singular.
RIDGE = 1e-13
# Lower bound for the slope of the mirror map for p > 2, which is zero at w = 0.
SMALLEST_SLOPE = 1e-12


def solve_by_newton(A: Array, b: Array, euclidean: Sequence[Solution], p: float) -> list[Solution]:
    """Return the last iterate of Newton's method for each program, with its certificate.

    A: (programs, m, d); b: (m,); euclidean: the solutions for p = 2. Newton's method may not converge; a small
    ``Solution.error`` shows that it did. The iterate for a program does not depend on the other programs.
    """
    # The weights are divided by these units, so that |w|_p is about 1.
    units = np.array([lp_norm(solution.weights, p) for solution in euclidean])[:, None]
    w = np.stack([solution.weights for solution in euclidean]) / units
    y = np.stack([solution.duals for solution in euclidean]) / units**2
    scaled = A * units[..., None]
    stages = int(np.ceil(abs(np.log(p - 1)) / np.log(STAGE_FACTOR)))
    with np.errstate(all="ignore"):
        for stage in range(1, stages + 1):
            w, y = _newton(scaled, b, w, y, 1 + (p - 1) ** (stage / stages))
        # A second candidate is w computed from A'y. For p > 2 its entries near zero are more precise, because A'y is
        # known more precisely and has the same zeros as w.
        pulled = np.vecmat(y, scaled)
        rounding = np.abs(pulled) <= ROUNDING * np.abs(pulled).max(-1, keepdims=True)
        from_y = mirror_image(np.where(rounding, 0.0, pulled), p / (p - 1))
        return [
            min((certify(A[k], b, units[k] * one, y[k], p) for one in (w[k], from_y[k])), key=lambda one: one.error)
            for k in range(len(A))
        ]


def _newton(A: Array, b: Array, w: Array, y: Array, p: float) -> tuple[Array, Array]:
    """Return weights, (programs, d), and multipliers, (programs, m), for exponent p. w, y: the starting point."""
    q = p / (p - 1)
    # Start from the multiple of y with the best dual value, and from its weights.
    pulled = np.vecmat(y, A)
    y = y * (np.vecdot(y, b) / np.vecdot(np.abs(pulled) ** q, np.ones(A.shape[-1])))[:, None] ** (p - 1)
    w = mirror_image(np.vecmat(y, A), q)
    residual = _residual(A, b, w, y, p)
    live = np.arange(len(A))
    for _ in range(MAX_NEWTON_STEPS):
        live = live[np.abs(residual[live]).max(-1) > STAGE_TOLERANCE]
        if not len(live):
            break
        steps = _step(A[live], b, w[live], y[live], residual[live], p)
        live = _move(A, b, w, y, residual, live, steps, p)
    return w, y


def _move(
    A: Array,
    b: Array,
    w: Array,
    y: Array,
    residual: Array,
    live: NDArray[np.int64],
    steps: tuple[Array, Array],
    p: float,
) -> NDArray[np.int64]:  # fmt: skip
    """Take the largest of STEP_FRACTIONS of each step that lowers the residual, changing w, y and residual in place.

    live: indices of the programs to move; steps: Newton's steps of these programs in w, (live, d), and in y, (live, m).
    Return the indices of the programs for which a fraction lowered the residual.
    """
    moved: NDArray[np.bool_] = np.zeros(len(live), dtype=bool)
    size = np.vecdot(residual[live], residual[live])
    for fraction in STEP_FRACTIONS:
        rest = np.flatnonzero(~moved)
        if not len(rest):
            break
        at = live[rest]
        new_w, new_y = w[at] + fraction * steps[0][rest], y[at] + fraction * steps[1][rest]
        if p < 2:
            new_w = mirror_image(np.vecmat(new_y, A[at]), p / (p - 1))
        new = _residual(A[at], b, new_w, new_y, p)
        better = np.vecdot(new, new) < (1 - 1e-4 * fraction) * size[rest]
        w[at[better]], y[at[better]], residual[at[better]] = new_w[better], new_y[better], new[better]
        moved[rest[better]] = True
    return live[moved]


def _residual(A: Array, b: Array, w: Array, y: Array, p: float) -> Array:
    """Return the values of the two functions in the module's docstring, one after the other, (programs, d + m)."""
    slack = np.matvec(A, w) - b
    # For p < 2, w is always computed from y, by the inverse mirror map, whose derivative exists everywhere. The first
    # function is then zero.
    dual = np.zeros_like(w) if p < 2 else mirror_image(w, p) - np.vecmat(y, A)
    return np.concatenate([dual, y + slack - np.hypot(y, slack)], axis=-1)


def _step(A: Array, b: Array, w: Array, y: Array, residual: Array, p: float) -> tuple[Array, Array]:
    """Return Newton's steps in w, (programs, d), and in y, (programs, m); NaN if the linear system is not finite."""
    d = A.shape[-1]
    q, slack = p / (p - 1), np.matvec(A, w) - b
    if p < 2:
        inverse = (q - 1) * np.abs(np.vecmat(y, A)) ** (q - 2)
    else:
        inverse = 1 / np.maximum((p - 1) * np.abs(w) ** (p - 2), SMALLEST_SLOPE)
    size = np.hypot(y, slack)
    size = np.where(size > 0, size, 1.0)
    by_slack, by_y = 1 - slack / size, 1 - y / size
    pull = inverse * residual[:, :d]
    right = by_slack * np.matvec(A, pull) - residual[:, d:]
    system = by_slack[..., None] * ((A * inverse[:, None]) @ A.mT)
    diagonal = np.arange(A.shape[1])
    largest = system[:, diagonal, diagonal].max(-1, keepdims=True)
    system[:, diagonal, diagonal] += by_y + RIDGE * largest
    finite = np.isfinite(system).all((-2, -1)) & np.isfinite(right).all(-1)
    system[~finite], right[~finite] = np.eye(A.shape[1]), np.nan
    step_y = np.linalg.solve(system, right[..., None])[..., 0]
    return inverse * np.vecmat(step_y, A) - pull, step_y

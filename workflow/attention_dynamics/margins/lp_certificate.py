"""Certificate of a solution of the max-margin program in an l_p norm, by weak duality."""

import numpy as np

from attention_dynamics.margins.lp_norms import lp_norm, mirror_image
from attention_dynamics.margins.max_margin import Solution
from attention_dynamics.problems.problem import Array


def certify(A: Array, b: Array, w: Array, y: Array, p: float) -> Solution:
    """Return multiples of w and of the positive part of y as a solution, with its gap and residual.

    The program is min |w|_p^2 / 2 subject to A w >= b. A: (m, d); b: (m,), not negative; w: (d,), approximate weights;
    y: (m,), approximate multipliers. w is scaled to the least length that meets the constraints with b > 0, and y to
    the best lower bound on the norm. If no positive multiple of w meets these constraints, w is returned as it is, and
    gap and residual are infinite.
    """
    q, y = p / (p - 1), np.maximum(y, 0.0)
    margins, pulled = A @ w, A.T @ y
    smallest = (margins[b > 0] / b[b > 0]).min()
    if not smallest > 0:
        return Solution(w, margins, y, np.inf, np.inf, exponent=p)
    w, margins = w / smallest, margins / smallest
    factor = b @ y / max(float(lp_norm(pulled, q)) ** 2, 1e-300)
    y, pulled = factor * y, factor * pulled
    norm, bound = float(lp_norm(w, p)), float(lp_norm(pulled, q))
    if p > 2:
        stationarity = lp_norm(mirror_image(w / norm, p) - pulled / norm, q)
    else:
        stationarity = lp_norm(w / norm - mirror_image(pulled / norm, q), p)
    slackness = np.abs(y * (margins - b)).max() / norm**2
    residual = max(stationarity, (b - margins).max(), slackness)
    return Solution(w, margins, y, 1 - (bound / norm) ** 2, float(residual), exponent=p)

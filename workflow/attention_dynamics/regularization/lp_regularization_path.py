"""Minimizers of the risk in l_p balls (Mirror descent, l_p-AttRP), found by L-BFGS-B on the spheres."""

from typing import Any

import numpy as np
import scipy  # Not scipy.optimize: SciPy loads its submodules on first use, and reading a configuration needs none.
from numpy.typing import NDArray

from attention_dynamics.attention.attention_gradient import attention_state, pull_weights
from attention_dynamics.attention.losses.loss import Loss
from attention_dynamics.attention.losses.risk_gap import log_risk_gap
from attention_dynamics.margins.lp_norms import lp_norm, mirror_image
from attention_dynamics.problems.problem import Array, Problem
from attention_dynamics.problems.shape import TokenShape
from attention_dynamics.regularization.bounded_norm import BoundedNorm
from attention_dynamics.training import NO_CONTEXT, JobContext, require_fixed_head
from attention_dynamics.types import Exponent

LBFGS_OPTIONS = {"ftol": 1e-13, "gtol": 1e-9, "maxiter": 3000, "maxfun": 6000, "maxcor": 30}


class LpRegularizationPath(BoundedNorm, kind="lp_regularization_path"):
    """argmin of the risk over |W|_p <= R |W_mm|_p for each of the radii R.

    exponent: p. W_mm is the l_p-AttSVM of the optimal tokens. The search is on the sphere, where the minimum over the
    ball lies if the differences of keys are linearly independent. It starts once from W_mm and, after the first radius,
    once from the minimizer at the previous radius. The better local minimum is kept, because the risk is not convex.
    """

    exponent: Exponent

    def train(self, problem: Problem, context: JobContext = NO_CONTEXT) -> dict[str, NDArray[Any]]:
        """Return the path: "step" = [0, *radii], and "W" (records, P, 1, m), whose first record is the origin.

        Raises ValueError if the optimal tokens of a problem cannot be separated from the others.
        """
        # Imported here, because reading a configuration does not need the solvers of these modules.
        from attention_dynamics.margins.lp_attention_svm import feasible, lp_attention_svm

        p = float(self.exponent)
        path = np.zeros((len(self.radii) + 1, len(problem.tokens), 1, problem.keys.shape[-1]))
        for k, (keys, scores, selected) in enumerate(zip(problem.keys, problem.scores(), problem.optimal, strict=True)):
            svm = feasible(lp_attention_svm(keys, selected, p), k)
            unit, starts = float(lp_norm(svm, p)), [svm]
            for row, radius in enumerate(self.radii, start=1):
                sphere = Sphere(keys, scores, self.loss, p, radius * unit)
                path[row, k, 0], _ = min(map(sphere.minimize, starts), key=lambda found: found[1])
                starts = [svm, path[row, k, 0]]
        return {"step": np.array([0, *self.radii]), "W": path}

    def check(self, shape: TokenShape) -> None:
        super().check(shape)
        require_fixed_head(shape)


class Sphere:
    """The risk on the sphere |w|_p = radius, as a function of any nonzero point, which is scaled onto the sphere."""

    def __init__(self, keys: Array, scores: Array, loss: Loss, exponent: float, radius: float) -> None:
        """keys: (n, T, m); scores: (n, T); exponent: p."""
        self.keys, self.scores, self.loss = keys, scores, loss
        self.exponent, self.radius = exponent, radius

    def minimize(self, start: Array) -> tuple[Array, float]:
        """Return a local minimizer on the sphere, (m,), found by L-BFGS-B from a point, and its ``log_risk_gap``."""
        found = scipy.optimize.minimize(
            self.evaluate, self._unit(start), jac=True, method="L-BFGS-B", options=LBFGS_OPTIONS
        )
        return self.radius * self._unit(found.x), float(found.fun)

    def evaluate(self, point: Array) -> tuple[float, Array]:
        """Return ``log_risk_gap`` at w = radius * point / |point|_p, and its gradient in ``point``, (m,)."""
        unit = self._unit(point)
        logits = self.keys @ (self.radius * unit)
        log_gap = float(log_risk_gap(logits, self.scores, self.loss, fixed_head=True))
        weights, log_scale = pull_weights(attention_state(logits[None, None], self.scores[None, None], self.loss))
        selected = logits.argmax(-1)
        relative = self.keys - self.keys[np.arange(len(selected)), selected][:, None]
        direction = -np.tensordot(weights[0, 0], relative, 2) / len(selected)
        gradient = direction * np.exp(log_scale[0, 0] - log_gap)
        tangential = gradient - (gradient @ unit) * mirror_image(unit, self.exponent)
        return log_gap, self.radius / lp_norm(point, self.exponent) * tangential

    def _unit(self, point: Array) -> Array:
        return point / lp_norm(point, self.exponent)

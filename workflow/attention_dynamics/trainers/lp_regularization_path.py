"""Minimisers of the risk in l_p balls (Mirror descent, l_p-AttRP), by L-BFGS on their spheres."""

from collections.abc import Mapping
from types import ModuleType
from typing import Any

import numpy as np
import scipy.optimize
import torch
from numpy.typing import NDArray

from attention_dynamics.attention.losses.risk_gap import log_risk_gap
from attention_dynamics.margins.lp_norms import lp_norm, mirror_image
from attention_dynamics.margins.lp_attention_svm import feasible, lp_attention_svm
from attention_dynamics.attention.models.attention_gradient import attention_state, prompt_gradient
from attention_dynamics.pipeline import plugins
from attention_dynamics.problems.problem import Array, Problem
from attention_dynamics.attention.descent import reproducible

PRECISE = {"ftol": 1e-13, "gtol": 1e-9, "maxiter": 3000, "maxfun": 6000, "maxcor": 30}


def train(problem: Problem, spec: Mapping[str, Any]) -> dict[str, NDArray]:
    """The path at "step" = 0 (the origin) and every radius, "p" (records, P, 1, m).

    spec: loss; exponent, p; radii R, in units of |W_mm|_p with W_mm the l_p-AttSVM of the optimal tokens.
    Where differences of keys are linearly independent, the minimum over a ball lies on its sphere. There it is searched
    for from the minimiser at the radius before and from W_mm: the risk is not convex, and the better of two local
    minima is kept. Raises ValueError where the optimal tokens cannot be separated from the others.
    """
    reproducible()
    p, loss, radii = float(spec["exponent"]), plugins.LOSS.load(spec["loss"]), spec["radii"]
    path = np.zeros((len(radii) + 1, len(problem.tokens), 1, problem.keys.shape[-1]))
    for k, (keys, scores, selected) in enumerate(zip(problem.keys, problem.scores(), problem.optimal, strict=True)):
        svm = feasible(lp_attention_svm(keys, selected, p), k)
        unit, warm = lp_norm(svm, p), None
        for row, radius in enumerate(radii, start=1):
            sphere = Sphere(keys, scores, loss, p, radius * unit)
            found = [sphere.minimise(start) for start in (svm, warm) if start is not None]
            path[row, k, 0], _ = min(found, key=lambda one: one[1])
            warm = path[row, k, 0]
    return {"step": np.array([0, *radii]), "p": path}


class Sphere:
    """The risk on |w|_p = radius, as a function of a point of any length."""

    def __init__(self, keys: Array, scores: Array, loss: ModuleType, exponent: float, radius: float) -> None:
        """keys: (n, T, m); scores: (n, T)."""
        self.keys, self.scores, self.loss = keys, scores, loss
        self.exponent, self.radius = exponent, radius
        self.tensors = torch.from_numpy(keys)[None, None], torch.from_numpy(scores)[None, None]

    def minimise(self, start: Array) -> tuple[Array, float]:
        """The local minimiser w, (m,), that L-BFGS finds from a point (m,), and the log of the risk's gap there."""
        found = scipy.optimize.minimize(self.evaluate, self._unit(start), jac=True, method="L-BFGS-B", options=PRECISE)
        return self.radius * self._unit(found.x), float(found.fun)

    def evaluate(self, point: Array) -> tuple[float, Array]:
        """log of the risk above its infimum at radius * point / |point|_p, and its gradient in the point, (m,)."""
        unit = self._unit(point)
        logits = self.keys @ (self.radius * unit)
        log_gap = float(log_risk_gap(logits, self.scores, self.loss, fixed_head=True))
        keys, scores = self.tensors
        in_w = prompt_gradient(attention_state(torch.from_numpy(logits)[None, None], scores, self.loss), keys)
        gradient = in_w.direction[0, 0].numpy() * np.exp(float(in_w.log_scale) - log_gap)
        tangential = gradient - (gradient @ unit) * mirror_image(unit, self.exponent)
        return log_gap, self.radius / lp_norm(point, self.exponent) * tangential

    def _unit(self, point: Array) -> Array:
        return point / lp_norm(point, self.exponent)

"""Regularization paths of attention with a nonlinear head (Max-margin Theorem 8)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.attention.losses.logistic import Logistic
from attention_dynamics.problems.problem import Problem
from attention_dynamics.problems.shape import TokenShape
from attention_dynamics.regularization.bounded_norm import BoundedNorm
from attention_dynamics.regularization.planar_objective import best_reachable
from attention_dynamics.regularization.polar_search import disc, minimize
from attention_dynamics.regularization.regularization_path import PROMPT_DIRECTIONS
from attention_dynamics.regularization.tanh_head import TanhHead, TanhRisk
from attention_dynamics.training import NO_CONTEXT, IncompatibleRunError, JobContext


class NonlinearPath(BoundedNorm, kind="nonlinear_path"):
    """argmin over |p| <= R of the logistic risk of the model psi(X' softmax(K p)), for each of the radii R.

    The keys must be planar. head: psi, which replaces the linear head of the problem, z -> v'z.
    """

    head: TanhHead

    def train(self, problem: Problem, context: JobContext = NO_CONTEXT) -> dict[str, NDArray[Any]]:
        keys = problem.keys[..., :2]
        path = np.zeros((len(self.radii) + 1, len(keys), 1, problem.keys.shape[-1]))
        for row, R in enumerate(self.radii, start=1):
            for k in range(len(keys)):
                scores = problem.labels[k][:, None] * self.head.values(problem.tokens[k])
                selected = best_reachable(keys[k], scores, Logistic(), disc(R).directions(PROMPT_DIRECTIONS))
                risk = TanhRisk(keys[k], problem.tokens[k], problem.labels[k], self.head, selected, R)
                path[row, k, 0, :2] = minimize(risk, disc(R))
        return {"step": np.array([0, *self.radii]), "p": path}

    def check(self, shape: TokenShape) -> None:
        super().check(shape)
        if not shape.planar:
            raise IncompatibleRunError("problem", "the problem is not planar")
        if len(self.head.weights[0]) != shape.dimension:
            message = f"rows have {len(self.head.weights[0])} coordinates, but tokens have {shape.dimension}"
            raise IncompatibleRunError("head.weights", message)
        if self.loss.kind != "logistic":
            raise IncompatibleRunError("loss", "paths of a nonlinear head are those of the logistic loss")

"""Points along rays from the origin, to compare the risk along directions (Max-margin Lemmas 8 and 9)."""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.attention.initialization import ProvidedStarts, Starts
from attention_dynamics.problems.problem import Array, Problem
from attention_dynamics.problems.shape import TokenShape
from attention_dynamics.regularization.bounded_norm import BoundedNorm
from attention_dynamics.scaling import unit_vectors
from attention_dynamics.training import NO_CONTEXT, IncompatibleRunError, JobContext


class Rays(BoundedNorm, kind="rays"):
    """No training: the points R q for each of the radii R, with the unit vector q from the origin to each start.

    Record 0 is q itself. Coordinates that a start does not give are zero.
    """

    start: dict[Literal["p"], Starts]

    def train(self, problem: Problem, context: JobContext = NO_CONTEXT) -> dict[str, NDArray[Any]]:
        points = self.start["p"].points(problem.starts.get("p"))
        directions = _directions(points)
        P, _, _, d = problem.keys.shape
        unit = np.zeros((P, points.shape[-2], d))
        unit[..., : points.shape[-1]] = directions
        lengths = np.array([1, *self.radii], dtype=float)
        return {"step": np.array([0, *self.radii]), "p": lengths[:, None, None, None] * unit}

    def columns(self, shape: TokenShape) -> int:
        return self.start["p"].count

    def check(self, shape: TokenShape) -> None:
        super().check(shape)
        if "p" not in self.start:
            raise IncompatibleRunError("start", "the key p is missing")
        if not isinstance(self.start["p"], ProvidedStarts):
            _directions(self.start["p"].points())


def _directions(points: Array) -> Array:
    """Return the unit vectors from the origin to points, (..., m). Raises IncompatibleRunError if a point is 0."""
    if not points.any(-1).all():
        raise IncompatibleRunError("start.p", "a ray needs a direction, but one of the points is the origin")
    return unit_vectors(points)

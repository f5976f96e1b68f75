"""What a run's block may say of where training starts."""

import math
from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import AfterValidator, Field, model_validator

from attention_dynamics.block_types import Strict
from attention_dynamics.pipeline.unions import any_of
from attention_dynamics.problems.problem import Array
from attention_dynamics.attention.initialization import starting_points
from attention_dynamics.types import Indices, Interval, Positive, Vector

LARGEST_GRID = 1_000_000


class Grid(Strict):
    """Starts on a grid, ends included: x and y are [low, high]."""

    x: Interval
    y: Interval
    spacing: Positive

    @model_validator(mode="after")
    def _has_points(self) -> Self:
        if self.x[0] > self.x[1] or self.y[0] > self.y[1]:
            raise ValueError("x and y are [low, high]")
        if math.prod((high - low) / self.spacing + 1 for low, high in (self.x, self.y)) > LARGEST_GRID:
            raise ValueError(f"more than {LARGEST_GRID} points, spacing is too small")
        return self


class Circle(Strict):
    """Starts on a circle around the origin, ``every`` so many degrees."""

    radius: Positive
    every: Annotated[float, Field(ge=0.01, le=360)]


class OfProblem(Strict):
    """Those of the starts that the problem itself provides, which differ between the problems of a batch."""

    of_problem: Indices


def _same_length(points: list[list[float]]) -> list[list[float]]:
    if len(set(map(len, points))) != 1:
        raise ValueError("all points need the same number of coordinates")
    return points


def _form_of_starts(given: Any) -> str:
    if isinstance(given, OfProblem) or (isinstance(given, Mapping) and "of_problem" in given):
        return "OfProblem"
    if isinstance(given, Circle) or (isinstance(given, Mapping) and {"radius", "every"} & given.keys()):
        return "Circle"
    return "Grid" if isinstance(given, Mapping | Grid) else "Points"


StartPoints = Annotated[list[Vector], Field(min_length=1), AfterValidator(_same_length)]
Starts = any_of({"Points": StartPoints, "Grid": Grid, "Circle": Circle, "OfProblem": OfProblem}, _form_of_starts)


def points_given(start: Mapping[str, Any]) -> dict[str, Array]:
    """The points of the parameters that are given any here and not by the problem, (starts, m)."""
    return {
        name: starting_points(points.model_dump() if isinstance(points, Grid | Circle) else points)
        for name, points in start.items()
        if not isinstance(points, OfProblem)
    }

"""Starting points of training: a list, a grid, a circle, or points that the problem provides."""

import math
from collections.abc import Mapping
from typing import Annotated, Any, Self

import numpy as np
from pydantic import AfterValidator, BeforeValidator, Field, RootModel, model_validator

from attention_dynamics.problems.problem import Array
from attention_dynamics.registry import Frozen
from attention_dynamics.types import Indices, Point, Positive, Several, Vector

MAX_GRID_POINTS = 1_000_000


def _same_length(points: tuple[Vector, ...]) -> tuple[Vector, ...]:
    if len(set(map(len, points))) != 1:
        raise ValueError("all points must have the same number of coordinates")
    return points


class ListedStarts(
    RootModel[Annotated[Several[Vector], AfterValidator(_same_length)]], frozen=True, strict=True, allow_inf_nan=False
):
    """A list of starting points, each a list of coordinates."""

    def points(self, provided: Array | None = None) -> Array:
        """Return the points, (starts, m); ``provided`` is not used."""
        return np.array(self.root)

    @property
    def count(self) -> int:
        """Number of starts."""
        return len(self.root)


class GridStarts(Frozen, frozen=True):
    """Starts on a grid in the plane.

    x, y: [low, high]. The grid begins at low; it contains high if ``spacing`` divides the interval.
    """

    x: Point
    y: Point
    spacing: Positive

    @model_validator(mode="after")
    def _has_points(self) -> Self:
        if self.x[0] > self.x[1] or self.y[0] > self.y[1]:
            raise ValueError("x and y must be [low, high] with low <= high")
        if math.prod((high - low) / self.spacing + 1 for low, high in (self.x, self.y)) > MAX_GRID_POINTS:
            raise ValueError(f"the grid has more than {MAX_GRID_POINTS} points: increase spacing")
        return self

    def points(self, provided: Array | None = None) -> Array:
        """Return the points, (starts, 2), with x varying fastest; ``provided`` is not used."""
        x, y = np.meshgrid(self._ticks(self.x), self._ticks(self.y))
        return np.stack([x.ravel(), y.ravel()], axis=-1)

    @property
    def count(self) -> int:
        """Number of starts."""
        return len(self._ticks(self.x)) * len(self._ticks(self.y))

    def _ticks(self, interval: tuple[float, ...]) -> Array:
        low, high = interval
        return low + self.spacing * np.arange(int((high - low) / self.spacing + 1e-9) + 1, dtype=float)


class CircleStarts(Frozen, frozen=True):
    """Starts on a circle around the origin, the first at (radius, 0).

    every: angle from each start to the next, in degrees. If it does not divide 360, the gap after the last is smaller.
    """

    radius: Positive
    every: Annotated[float, Field(ge=0.01, le=360)]

    def points(self, provided: Array | None = None) -> Array:
        """Return the points, (starts, 2); ``provided`` is not used."""
        angles: Array = np.radians(self.every * np.arange(self.count, dtype=float))
        return self.radius * np.stack([np.cos(angles), np.sin(angles)], axis=-1)

    @property
    def count(self) -> int:
        """Number of starts."""
        return math.ceil(360 / self.every - 1e-9)


class ProvidedStarts(Frozen, frozen=True):
    """Starts that the problem itself provides, which may differ between the problems of a batch.

    of_problem: indices of the provided starts to use, counted from 0.
    """

    of_problem: Indices

    def points(self, provided: Array | None = None) -> Array:
        """Return the points, (problems, starts, m).

        provided: (problems, k, m), the k starts that each problem provides. Raises ValueError if it is None.
        """
        if provided is None:
            raise ValueError("start: of_problem needs a problem that provides starts, this one provides none")
        return provided[:, list(self.of_problem)]

    @property
    def count(self) -> int:
        """Number of starts."""
        return len(self.of_problem)


StartForm = ListedStarts | GridStarts | CircleStarts | ProvidedStarts


def parse_starts(given: Any) -> StartForm:
    """Return starts of the class that the keys of a mapping identify; a list becomes ListedStarts.

    An object of one of these classes is returned unchanged. Raises pydantic's ValidationError for values that do not
    fit the class.
    """
    if isinstance(given, StartForm):
        return given
    if not isinstance(given, Mapping):
        return ListedStarts.model_validate(given)
    if "of_problem" in given:
        return ProvidedStarts.model_validate(given)
    return (CircleStarts if {"radius", "every"} & given.keys() else GridStarts).model_validate(given)


# The class is chosen before validation, because the errors of a union would list every class.
Starts = Annotated[StartForm, BeforeValidator(parse_starts)]

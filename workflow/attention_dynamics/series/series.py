"""A measured series of a run, for claims: a table with a row per record and one or more columns per trajectory."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.problems.arrays import as_array, own_arrays, takes_arrays
from attention_dynamics.problems.problem import Array
from attention_dynamics.training import record_index

Indices = NDArray[np.int64]
# Iteration numbers, or times if the series is a closed form or solves a differential equation.
Steps = NDArray[np.number[Any]]


class EndedError(ValueError):
    """Error for a run that ends before the step that a claim is about."""


@dataclass(frozen=True, eq=False)
class Series:
    """Numbers along the trajectories of a run.

    steps: (records,) iteration numbers or times.
    values: (records, k), a column for every number of every trajectory: problem by problem, start by start.
    trajectory: (k,), the index of each column's trajectory in the run.
    start: (k,), the index of each column's start in its problem.
    position: (k,), the index of each column among the columns of its problem.
    settings: name -> (k,), the setting of each column's problem.
    """

    steps: Steps
    values: Array
    trajectory: Indices
    start: Indices
    position: Indices
    settings: Mapping[str, Array]

    def __post_init__(self) -> None:
        own_arrays(self)
        as_array("steps", self.steps)  # raises an error for steps that are not numbers
        object.__setattr__(self, "steps", np.array(self.steps))

    @classmethod
    @takes_arrays()
    def of(cls, steps: Steps, values: Array, settings: Mapping[str, Array]) -> "Series":
        """Return the values (records, problems, starts, ...) of a run as a series. settings: name -> (problems,)."""
        _, problems, starts, *inner = values.shape
        width = int(np.prod(inner, dtype=int))
        trajectory = np.repeat(np.arange(problems * starts), width)
        columns = {name: np.repeat(array, starts * width) for name, array in settings.items()}
        position = np.tile(np.arange(starts * width), problems)
        return cls(steps, values.reshape(len(values), -1), trajectory, trajectory % starts, position, columns)

    def at(self, step: float) -> Array:
        """Return the values at a step, (k,).

        Raises EndedError for a step after the last record, and ValueError for any other step that was not recorded.
        """
        self._need_step(step)
        if step not in self.steps:
            raise ValueError(f"step {step} was not recorded; records go from {self.steps[0]} to {self.steps[-1]}")
        return self.values[record_index(self.steps, step)]

    def during(self, first: float, last: float) -> "Series":
        """Return the records from step ``first`` to ``last``, both included.

        Raises EndedError if the run ends before ``first``, and ValueError if no step from ``first`` to ``last`` was
        recorded.
        """
        self._need_step(first)
        inside = (self.steps >= first) & (self.steps <= last)
        if not inside.any():
            raise ValueError(f"no step from {first} to {last} was recorded")
        return replace(self, steps=self.steps[inside], values=self.values[inside])

    def log(self) -> "Series":
        """Return the series of the natural logarithms of the values."""
        return replace(self, values=np.log(self.values))

    def mean(self) -> "Series":
        """Return the mean over all columns as a series of one column."""
        return replace(self._columns(np.array([0])), values=self.values.mean(1, keepdims=True))

    def trajectories(self, *indices: int) -> "Series":
        """Return the columns of these trajectories, in this order. indices: as in the field ``trajectory``, from 0.

        Raises ValueError for an index that no column has.
        """
        return self._columns(np.concatenate([self._where(self.trajectory == index, index) for index in indices]))

    def starts(self, *indices: int) -> "Series":
        """Return the columns whose ``start`` is one of the indices, in unchanged order.

        Raises ValueError for an index that no column has.
        """
        for index in indices:
            self._where(self.start == index, index)
        return self._columns(np.flatnonzero(np.isin(self.start, indices)))

    def where(self, **settings: float | Iterable[float]) -> "Series":
        """Return the columns of problems whose settings have the given values, or one of several given values.

        Raises ValueError for an unknown setting, and if no problem has such a value.
        """
        chosen = self
        for name, wanted in settings.items():
            there = chosen._setting(name)
            found = np.flatnonzero(np.isin(there, list(wanted) if isinstance(wanted, Iterable) else [wanted]))
            if not len(found):
                values = ", ".join(f"{value:g}" for value in np.unique(there))
                raise ValueError(f"no problem has {name} = {wanted}; there are {values}")
            chosen = chosen._columns(found)
        return chosen

    def filter(self, mask: "Series") -> "Series":
        """Return the columns for which the series ``mask`` is 1 at its last record.

        The mask is first aligned with this series (``align_to``). The result may have no columns.
        """
        return self._columns(np.flatnonzero(mask.align_to(self).values[-1] == 1))

    def group_by(self, setting: str) -> list["Series"]:
        """Return a series for each value of a setting, in increasing order, with the columns of its problems."""
        there = self._setting(setting)
        return [self._columns(np.flatnonzero(there == value)) for value in np.unique(there)]

    def group_by_start(self) -> list["Series"]:
        """Return a series for each start, with a column for each problem.

        If the trajectories have several numbers, return a series for each start and number.
        """
        return [self._columns(np.flatnonzero(self.position == k)) for k in np.unique(self.position)]

    def align_to(self, other: "Series") -> "Series":
        """Return this series with columns that match those of another one, so that the two can be combined.

        If this series has one column for each trajectory, or a single column, its columns are repeated as needed.
        Raises ValueError if the columns of the two series cannot be matched.
        """
        if np.array_equal(self.trajectory, other.trajectory):
            return self
        if len(np.unique(self.trajectory)) == len(self.trajectory) and np.isin(other.trajectory, self.trajectory).all():
            order = np.argsort(self.trajectory)
            return self._columns(order[np.searchsorted(self.trajectory, other.trajectory, sorter=order)])
        if self.values.shape[1] == 1:
            return self._columns(np.zeros(other.values.shape[1], dtype=int))
        raise ValueError(f"series with {self.values.shape[1]} and {other.values.shape[1]} columns cannot be aligned")

    def match(self, other: "Series") -> Array:
        """Return the values of another series, (records, k), in the columns of this one (``align_to``).

        Raises ValueError if the two series have different recorded steps.
        """
        if not np.array_equal(self.steps, other.steps):
            raise ValueError("series with other recorded steps cannot be combined: take the same steps of both")
        return other.align_to(self).values

    def __sub__(self, other: "Series") -> "Series":
        """Subtract another series with the same recorded steps. Raises ValueError as ``match``."""
        return replace(self, values=self.values - self.match(other))

    def _need_step(self, step: float) -> None:
        if step > self.steps[-1]:
            raise EndedError(f"step {step} was not recorded: the run ends at step {self.steps[-1]}")

    def _setting(self, name: str) -> Array:
        if name not in self.settings:
            raise ValueError(f"the problems have no setting {name}; there are {', '.join(self.settings) or 'none'}")
        return self.settings[name]

    def _where(self, found: NDArray[Any], index: int) -> Indices:
        if not found.any():
            raise ValueError(f"index {index} does not exist; the series has {self.trajectory.max() + 1} trajectories, "
                             f"{self.start.max() + 1} starts per problem, counted from 0")  # fmt: skip
        return np.flatnonzero(found)

    def _columns(self, columns: Indices) -> "Series":
        return Series(
            self.steps, self.values[:, columns], self.trajectory[columns], self.start[columns], self.position[columns],
            {name: array[columns] for name, array in self.settings.items()},
        )  # fmt: skip

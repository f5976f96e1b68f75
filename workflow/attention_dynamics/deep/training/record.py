"""The record of a training, as arrays for the store."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = dict[str, NDArray[Any]]
Row = tuple[int, str, float, float]


@dataclass
class Record:
    """The record of a training so far.

    loss, accuracy: (steps of the whole training,), of every batch before its step, NaN for future steps.
        Losses are means, in nats for cross-entropy; accuracies are shares of 1.
    rows: (epochs done, split, loss, accuracy); split "batches" is the mean over an epoch's batches while it trains.
    snapshots: name -> the arrays of the callback at each epoch of ``snapshot_epochs``.
    """

    loss: NDArray[np.float64]
    accuracy: NDArray[np.float64]
    rows: list[Row] = field(default_factory=list)
    snapshot_epochs: list[int] = field(default_factory=list)
    snapshots: dict[str, list[NDArray[Any]]] = field(default_factory=dict)

    @classmethod
    def empty(cls, steps: int) -> "Record":
        """Return the record of a training that has not begun."""
        return cls(np.full(steps, np.nan), np.full(steps, np.nan))

    def add_snapshot(self, epoch: int, observed: Arrays) -> None:
        """Add a snapshot."""
        self.snapshot_epochs.append(epoch)
        for name, array in observed.items():
            self.snapshots.setdefault(name, []).append(array)

    @property
    def batch_accuracy(self) -> float:
        """Share of right answers over the batches of the last epoch; NaN before there is one."""
        return next((accuracy for _, split, _, accuracy in reversed(self.rows) if split == "batches"), np.nan)

    def metrics(self) -> Arrays:
        """Return a tidy table: columns "epoch", "split", "loss" and "accuracy"."""
        columns = zip(*self.rows, strict=True) if self.rows else ((),) * 4
        types = {"epoch": np.int64, "split": np.str_, "loss": np.float64, "accuracy": np.float64}
        return {name: np.array(column, types[name]) for name, column in zip(types, columns, strict=True)}

    def to_arrays(self) -> Arrays:
        """Return named arrays for the store: "step/...", "metrics/...", "snapshot/epoch", "snapshot/of/..."."""
        steps = {"step/loss": self.loss, "step/accuracy": self.accuracy}
        metrics = {f"metrics/{name}": column for name, column in self.metrics().items()}
        snapshots = {f"snapshot/of/{name}": np.stack(arrays) for name, arrays in self.snapshots.items()}
        return steps | metrics | {"snapshot/epoch": np.array(self.snapshot_epochs, np.int64)} | snapshots

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> "Record":
        """Return the record that ``to_arrays`` describes; other arrays are ignored."""
        rows = zip(
            *(arrays[f"metrics/{name}"].tolist() for name in ("epoch", "split", "loss", "accuracy")), strict=True
        )
        prefix = "snapshot/of/"
        snapshots = {name.removeprefix(prefix): list(a) for name, a in arrays.items() if name.startswith(prefix)}
        epochs = arrays["snapshot/epoch"].tolist()
        return cls(arrays["step/loss"], arrays["step/accuracy"], list(rows), epochs, snapshots)

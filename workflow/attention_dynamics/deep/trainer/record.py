"""The record of a training run, and checkpoints: network, optimizer and record in one sealed file (``store``).

A checkpoint needs no states of random generators: all random numbers in training, and the order of the data, are
functions of the seed, the pass through the data and the step in this pass.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.optim import Optimizer

from attention_dynamics import store
from attention_dynamics.deep.trainer.schedule import Schedule

Arrays = dict[str, NDArray[Any]]
Row = tuple[int, str, float, float]


@dataclass
class Record:
    """The record of a training run so far.

    loss, accuracy: (steps of the whole run,), of each step's batch before the step, NaN for steps not yet taken.
        Losses are means, in nats for cross-entropy; accuracies are shares of 1.
    rows: tuples (epochs done, split, loss, accuracy); the split "batches" stands for means over the batches of an epoch
        in training.
    cpu_seconds: (epochs,), CPU time of the steps taken in each epoch, without evaluations; (0,) if it is not recorded.
    snapshots: name -> the arrays that the callback ``observe`` returned, one for each epoch of ``snapshot_epochs``.
    """

    loss: NDArray[np.float64]
    accuracy: NDArray[np.float64]
    cpu_seconds: NDArray[np.float64]
    rows: list[Row] = field(default_factory=list)
    snapshot_epochs: list[int] = field(default_factory=list)
    snapshots: dict[str, list[NDArray[Any]]] = field(default_factory=dict)

    @classmethod
    def empty(cls, steps: int, timed_epochs: int = 0) -> "Record":
        """Return the record of a run that has not begun. timed_epochs: its epochs, or 0 if CPU time is not recorded."""
        return cls(np.full(steps, np.nan), np.full(steps, np.nan), np.zeros(timed_epochs))

    def add_snapshot(self, epoch: int, observed: Arrays) -> None:
        """Add the arrays that were observed after an epoch, by name."""
        self.snapshot_epochs.append(epoch)
        for name, array in observed.items():
            self.snapshots.setdefault(name, []).append(array)

    @property
    def batch_accuracy(self) -> float:
        """Share of right answers over the batches of the last epoch; NaN before there is one."""
        return next((accuracy for _, split, _, accuracy in reversed(self.rows) if split == "batches"), np.nan)

    def metrics(self) -> Arrays:
        """Return ``rows`` as a table: columns "epoch", "split", "loss" and "accuracy", each of shape (rows,)."""
        columns = zip(*self.rows, strict=True) if self.rows else ((),) * 4
        types = {"epoch": np.int64, "split": np.str_, "loss": np.float64, "accuracy": np.float64}
        return {name: np.array(column, types[name]) for name, column in zip(types, columns, strict=True)}

    def to_arrays(self) -> Arrays:
        """Return arrays by names: "step/...", "epoch/...", "metrics/...", "snapshot/epoch", "snapshot/of/..."."""
        steps = {"step/loss": self.loss, "step/accuracy": self.accuracy, "epoch/cpu_seconds": self.cpu_seconds}
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
        steps = arrays["step/loss"], arrays["step/accuracy"], arrays["epoch/cpu_seconds"]
        return cls(*steps, list(rows), epochs, snapshots)


def identify(
    model: nn.Module, optimizer: Optimizer, schedule: Schedule, arrays: Mapping[str, NDArray[Any]], key: str
) -> str:
    """Return the SHA-256 of initial weights, optimizer, schedule, data, the version of torch, and ``key``.

    A training run depends on nothing else.
    """
    groups = [{**group, "params": len(group["params"])} for group in optimizer.param_groups]
    classes = type(model).__name__, type(optimizer).__name__
    settings = [asdict(schedule), *classes, groups, torch.__version__, key]
    digest = hashlib.sha256(json.dumps(settings, sort_keys=True).encode())
    for name, array in (*read_weights(model).items(), *arrays.items()):
        digest.update(f"{name} {array.dtype} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def read_weights(model: nn.Module) -> Arrays:
    """Return parameters and buffers of a network, by their names."""
    return {name: value.detach().cpu().numpy() for name, value in model.state_dict().items()}


def load_weights(model: nn.Module, arrays: Arrays) -> None:
    """Put weights into a network: the inverse of ``read_weights``.

    Raises RuntimeError, with a list of the names or shapes that do not fit.
    """
    model.load_state_dict({name: torch.as_tensor(array) for name, array in arrays.items()})


def save_checkpoint(
    path: Path, identity: str, step: int, model: nn.Module, optimizer: Optimizer, record: Record
) -> None:
    """Write the state after ``step`` steps, atomically, and replace the previous one."""
    parts = {"weights": read_weights(model), "optimizer": _optimizer_arrays(optimizer), "record": record.to_arrays()}
    arrays = {f"{part}/{name}": array for part, content in parts.items() for name, array in content.items()}
    # Not compressed: weights hardly shrink, and for large networks it would take longer than training in between.
    store.save_arrays(path, {"identity": np.array(identity), "step": np.array(step), **arrays})


def load_checkpoint(path: Path, identity: str, model: nn.Module, optimizer: Optimizer) -> tuple[int, Record] | None:
    """Put network and optimizer into the stored state, and return the number of steps taken and the record.

    Without a checkpoint of this run, change nothing and return None. Raises store.DamagedFile, naming the file, for an
    altered checkpoint.
    """
    if not path.exists():
        return None
    arrays = store.load_arrays(path)
    if str(arrays["identity"]) != identity:
        return None
    load_weights(model, _part(arrays, "weights"))
    _load_optimizer(optimizer, _part(arrays, "optimizer"))
    return int(arrays["step"]), Record.from_arrays(_part(arrays, "record"))


def _part(arrays: Arrays, part: str) -> Arrays:
    return {name.partition("/")[2]: array for name, array in arrays.items() if name.startswith(part + "/")}


def _optimizer_arrays(optimizer: Optimizer) -> Arrays:
    """Return the optimizer's state: tensors as "<index of parameter>/<name>", and all numbers as JSON under "numbers".

    JSON keeps Python's numbers exactly.
    """
    content = optimizer.state_dict()
    tensors: Arrays = {}
    numbers: dict[str, dict[str, Any]] = {}
    for index, state in content["state"].items():
        for name, value in state.items():
            if isinstance(value, torch.Tensor):
                tensors[f"{index}/{name}"] = value.cpu().numpy()
            else:
                numbers.setdefault(str(index), {})[name] = value
    return tensors | {"numbers": np.array(json.dumps([numbers, content["param_groups"]]))}


def _load_optimizer(optimizer: Optimizer, arrays: Arrays) -> None:
    numbers, groups = json.loads(str(arrays.pop("numbers")))
    state: dict[int, dict[str, Any]] = {int(index): values for index, values in numbers.items()}
    for place, array in arrays.items():
        index, name = place.split("/")
        state.setdefault(int(index), {})[name] = torch.as_tensor(array)
    optimizer.load_state_dict({"state": state, "param_groups": groups})

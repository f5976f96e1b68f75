"""The record of a training run, and checkpoints: network, optimizer and record in one sealed file (``store``).

A checkpoint needs no states of random generators: all random numbers in training, and the order of the data, are
functions of the seed, the pass through the data and the step in this pass.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
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
# Prefix of the names of snapshots in a checkpoint.
SNAPSHOT = "snapshot/"


@dataclass
class Record:
    """The record of a training run so far. What is not yet known is NaN.

    loss, accuracy: (steps of the whole run,), of each step's batch before the step. Losses are means, in nats for
        cross-entropy; accuracies are shares of 1.
    train_loss, train_accuracy: (1 + epochs,), means over the batches of the epoch that ended; NaN at 0.
    test_loss, test_accuracy: (1 + epochs,), after so many epochs, NaN where the network was not evaluated.
    cpu_seconds: (epochs,), CPU time of the steps taken in each epoch, without evaluations; (0,) if it is not recorded.
    snapshots: name -> the arrays that the callback ``observe`` returned, one for each evaluation.
    """

    loss: NDArray[np.float64]
    accuracy: NDArray[np.float64]
    train_loss: NDArray[np.float64]
    train_accuracy: NDArray[np.float64]
    test_loss: NDArray[np.float64]
    test_accuracy: NDArray[np.float64]
    cpu_seconds: NDArray[np.float64]
    snapshots: dict[str, list[NDArray[Any]]]

    @classmethod
    def empty(cls, steps: int, epochs: int, timed: bool) -> "Record":
        """Return the record of a run that has not begun. timed: whether CPU time is recorded."""
        of_steps = {name: np.full(steps, np.nan) for name in ("loss", "accuracy")}
        names = ("train_loss", "train_accuracy", "test_loss", "test_accuracy")
        of_epochs = {name: np.full(1 + epochs, np.nan) for name in names}
        return cls(**of_steps, **of_epochs, cpu_seconds=np.zeros(epochs if timed else 0), snapshots={})

    def add_snapshot(self, observed: Arrays) -> None:
        """Add the arrays that were observed at an evaluation, by name."""
        for name, array in observed.items():
            self.snapshots.setdefault(name, []).append(array)

    def to_arrays(self) -> Arrays:
        """Return arrays by the names of the attributes, and "snapshot/<name>"."""
        arrays = vars(self) | {SNAPSHOT + name: np.stack(of_one) for name, of_one in self.snapshots.items()}
        del arrays["snapshots"]
        return arrays

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> "Record":
        """Return the record that ``to_arrays`` describes."""
        own = {name: array for name, array in arrays.items() if not name.startswith(SNAPSHOT)}
        snapshots = {name.removeprefix(SNAPSHOT): list(arrays[name]) for name in arrays if name not in own}
        return cls(**own, snapshots=snapshots)


def identify(
    model: nn.Module, optimizer: Optimizer, schedule: Schedule, arrays: Mapping[str, NDArray[Any]], key: str
) -> str:
    """Return the SHA-256 of initial weights, optimizer, schedule, data, the version of torch, and ``key``.

    A training run depends on nothing else.
    """
    groups = [{**group, "params": len(group["params"])} for group in optimizer.param_groups]
    classes = type(model).__name__, type(optimizer).__name__
    settings = [schedule.model_dump(), *classes, groups, torch.__version__, key]
    digest = hashlib.sha256(json.dumps(settings, sort_keys=True).encode())
    for name, array in (*read_weights(model).items(), *arrays.items()):
        digest.update(f"{name} {array.dtype} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def read_weights(model: nn.Module) -> Arrays:
    """Return parameters and buffers of a network, by their names."""
    return {name: value.detach().cpu().numpy() for name, value in model.state_dict().items()}


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
    model.load_state_dict({name: torch.as_tensor(array) for name, array in _part(arrays, "weights").items()})
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

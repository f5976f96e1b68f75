"""Checkpoints: network, optimizer and record as one sealed file of arrays.

All random numbers in training are functions of seed, epoch and step (see ``randomness``), so that the number of steps
determines the state of every generator and the order of the data.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.optim import Optimizer

from attention_dynamics import store
from attention_dynamics.deep.training.record import Arrays, Record
from attention_dynamics.deep.training.schedule import Schedule


def identify(
    model: nn.Module, optimizer: Optimizer, schedule: Schedule, arrays: Mapping[str, NDArray[Any]], key: str
) -> str:
    """Return the SHA-256 of initial weights, optimizer, schedule, data, the version of torch, and ``key``.

    A training depends on nothing else.
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

    Raises RuntimeError, listing them, where names or shapes do not fit.
    """
    model.load_state_dict({name: torch.as_tensor(array) for name, array in arrays.items()})


def save(path: Path, identity: str, step: int, model: nn.Module, optimizer: Optimizer, record: Record) -> None:
    """Write the state after ``step`` steps, atomically, and replace the previous one."""
    parts = {"weights": read_weights(model), "optimizer": _optimizer_arrays(optimizer), "record": record.to_arrays()}
    arrays = {f"{part}/{name}": array for part, content in parts.items() for name, array in content.items()}
    # Weights hardly compress, and those of large networks would take longer than the steps in between.
    store.save_arrays(path, {"identity": np.array(identity), "step": np.array(step), **arrays})


def load(path: Path, identity: str, model: nn.Module, optimizer: Optimizer) -> tuple[int, Record] | None:
    """Put network and optimizer into the stored state, and return the number of steps taken and the record.

    Without a checkpoint of this training, change nothing and return None. Raises store.DamagedFile,
    naming the file, for an altered one.
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
    """Return tensors of the state as "<parameter>/<name>", and its numbers, which JSON keeps exactly, as text."""
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

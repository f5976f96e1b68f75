"""Splits of the data: checks before training, and the loss and accuracy of a network on a split."""

import os
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from attention_dynamics.deep.trainer.schedule import Schedule

# Label of positions that do not count; torch's cross-entropy ignores it.
IGNORE_INDEX = -100


class Split(NamedTuple):
    """Data with labels.

    inputs: (n, ...), images in single precision or tokens. labels: (n,) or (n, positions), integers from 0, or
    ``IGNORE_INDEX``.
    """

    inputs: NDArray[Any]
    labels: NDArray[Any]


def check_feasibility(model: Any, data: Mapping[str, Split], schedule: Schedule, device: str) -> None:
    """Raise ValueError, naming the argument, for a training that cannot run to its end.

    model: network on the CPU with the attributes ``input_shape`` (shape of one input), ``classes`` (number of classes)
        and, if it reads tokens, ``vocabulary`` (number of different tokens).
    """
    vocabulary = getattr(model, "vocabulary", None)
    for name, (inputs, labels) in data.items():
        if len(inputs) != len(labels) or not len(inputs) or inputs.shape[1:] != tuple(model.input_shape):
            wanted = f"(n, {', '.join(map(str, model.input_shape))}) and (n, ...)"
            raise ValueError(
                f"{name}: need inputs and labels of shapes {wanted}, got {inputs.shape} and {labels.shape}"
            )
        if vocabulary is None and inputs.dtype != np.float32:
            raise ValueError(f"{name}: need inputs in single precision, got {inputs.dtype}")
        if vocabulary is not None and not (
            inputs.dtype.kind == "i" and inputs.min() >= 0 and inputs.max() < vocabulary
        ):
            raise ValueError(f"{name}: need tokens from 0 to {vocabulary - 1}, got {inputs.min()} to {inputs.max()}")
        counted = labels[labels != IGNORE_INDEX]
        if not len(counted) or counted.min() < 0 or counted.max() >= model.classes:
            raise ValueError(
                f"{name}: labels must be from 0 to {model.classes - 1}, got {labels.min()} to {labels.max()}"
            )
    inputs = data["train"].inputs
    if schedule.batch_size > len(inputs):
        raise ValueError(f"batch_size: {schedule.batch_size} is more than the {len(inputs)} samples to train on")
    half = schedule.precision != "float32"
    if half and device != "cuda":
        raise ValueError(f"precision: {schedule.precision} needs device cuda, got {device}")
    held = sum(split.inputs.nbytes for split in data.values())
    need = held + step_memory(model, torch.as_tensor(inputs[:1]), schedule.batch_size, half=half)
    if need > (there := total_memory(device)):
        raise ValueError(f"batch_size: training needs {need / 2**30:.1f} GiB or more, {device} has {there / 2**30:.1f}")


def step_memory(model: nn.Module, one: Tensor, batch_size: int, *, half: bool = False) -> int:
    """Return the bytes that a step needs at least: weights, gradients, and the tensors saved for the backward pass.

    one: (1, ...), one input, whose saved tensors count ``batch_size`` times. half: whether activations have 16 bits
    instead of 32.
    """
    own = {id(p): p for p in (*model.parameters(), *model.buffers())}
    storages = {p.untyped_storage().data_ptr() for p in own.values()}
    saved: dict[int, int] = {}

    def note(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in storages:
            saved[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
        # Keeps the graph alive while it is counted, because the addresses of freed tensors are used again.
        graph = model(one)
    weights = sum(p.nbytes for p in own.values())
    del graph
    return 2 * weights + batch_size * sum(saved.values()) // (2 if half else 1)


def total_memory(device: str) -> int:
    """Return the bytes of memory that a device has, in use or not."""
    if device == "cuda":
        return int(torch.cuda.get_device_properties(device).total_memory)
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def token_loss(logits: Tensor, tokens: Tensor) -> Tensor:
    """Return the mean cross-entropy in nats, (), of logits (n, vocabulary, T) for tokens (n, T).

    Positions whose token is IGNORE_INDEX do not count; if none counts, the result is 0.
    """
    # Cross-entropy along the second axis would take a third longer.
    rows, targets = logits.transpose(1, 2).flatten(0, 1), tokens.flatten()
    # On a GPU no rows are left out, because the CPU would have to wait for their number.
    if tokens.is_cpu and not (counted := targets != IGNORE_INDEX).all():
        rows, targets = rows[counted], targets[counted]
    total = cross_entropy(rows, targets, ignore_index=IGNORE_INDEX, reduction="sum")
    return total / count_labels(targets).clamp(min=1)


def count_correct(logits: Tensor, labels: Tensor) -> Tensor:
    """Return the number, (), of labels (n, ...) that have the largest logit; logits are (n, classes, ...)."""
    return (logits.argmax(1) == labels).sum()


def count_labels(labels: Tensor) -> Tensor:
    """Return the number, (), of labels that are not IGNORE_INDEX."""
    return (labels != IGNORE_INDEX).sum()


@torch.no_grad()
def evaluate(
    forward: Callable[[Tensor], Tensor], inputs: Tensor, labels: Tensor, batch_size: int,
    loss: Callable[[Tensor, Tensor], Tensor],
) -> tuple[float, float]:  # fmt: skip
    """Return mean loss and share of right answers over all inputs, (n, ...), computed in batches.

    labels: (n,) or (n, positions); labels that are IGNORE_INDEX do not count, and at least one must count. loss: maps
    logits and labels of a batch to the mean over the labels that count. The network must be in eval mode.
    """
    total, correct, count = torch.zeros(3, dtype=torch.float64, device=inputs.device)
    for batch, targets in zip(torch.split(inputs, batch_size), torch.split(labels, batch_size), strict=True):
        logits, size = forward(batch), count_labels(targets)
        total += loss(logits, targets) * size
        correct += count_correct(logits, targets)
        count += size
    return (total / count).item(), (correct / count).item()

"""Training runs for every point of an optimizer's grid and every seed, joined in one trajectory."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from inspect import unwrap
from itertools import product

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy
from torch.optim import Adam, Optimizer

from attention_dynamics.deep.optim import DeepOptimizer
from attention_dynamics.deep.trainer.loop import (
    DivergenceError,
    TrainingLoop,
    build_seeded,
    use_deterministic_algorithms,
)
from attention_dynamics.deep.trainer.record import Arrays, Record
from attention_dynamics.deep.trainer.schedule import Schedule
from attention_dynamics.deep.trainer.splits import Split
from attention_dynamics.training import JobContext, NumericalFailure


def train_grid(
    points: Sequence[DeepOptimizer], schedules: Sequence[Schedule], context: JobContext, splits: Mapping[str, Split],
    build: Callable[[], nn.Module], *, key: str = "",
    loss: Callable[[Tensor, Tensor], Tensor] = cross_entropy,
    augment: Callable[[Tensor, Tensor], tuple[Tensor, Tensor]] | None = None,
    observe: Callable[[nn.Module], Arrays] | None = None, export: Callable[[nn.Module], Arrays] | None = None,
) -> Arrays:  # fmt: skip
    """Train a network for every point of an optimizer's grid and every seed, and return the trajectory.

    For the rest of the process, torch uses one thread (``use_deterministic_algorithms``). On a GPU, networks are
    compiled. On a CPU, this function removes the wrappers that keep torch.compile out of the methods of torch's
    optimizers, also for the rest of the process, so do not compile optimizer steps afterwards.

    schedules: one for every seed. context: training run k writes its checkpoint to ``<context.checkpoint>-<k>.npz``.
    splits: "train" and "test". build: returns a network whose initial weights are drawn from torch's generator. key:
    all settings, as text; with device, precision and code they identify a checkpoint. loss, augment, observe: see
    ``TrainingLoop``. export: called with the network of the last run; returns arrays for the trajectory.

    The trajectory has "step" (the epochs of the records), the arrays that ``export`` returns, and series of shape
    (records, 1, runs, ...). The axis of length 1 is that of problems. Runs are ordered by point, then by seed:
        train_loss, train_accuracy: means over the batches of an epoch, taken during training; NaN at epoch 0.
        test_loss, test_accuracy, epochs_trained, and what ``observe`` returns.
        cpu_seconds, if schedules have ``timed``: CPU time of all steps so far.
    If a run stops early, its later records repeat its last one. If there are several points and a run diverges, its
    losses are infinite from then on, and its other series are NaN.

    Raises NumericalFailure, naming seed, epoch and step, if a run diverges and there is only one point. Raises the
    errors of ``TrainingLoop.run`` for arguments that do not fit together and for a damaged checkpoint.
    """
    use_deterministic_algorithms(context.device)
    gpu = context.device != "cpu"
    if not gpu:
        _skip_compiler_import()
    samples = len(splits["train"].inputs)
    columns = []
    for number, (point, planned) in enumerate(product(points, schedules)):
        schedule = planned.model_copy(update={"precision": context.precision, "compiled": gpu})
        model = build_seeded(schedule.seed, build)
        optimizer = point.build(model.parameters(), schedule.steps_per_pass(samples))
        loop = TrainingLoop(
            model, optimizer, splits, schedule, device=context.device, loss=loss, augment=augment, observe=observe
        )
        file = context.checkpoint and context.checkpoint.with_name(f"{context.checkpoint.name}-{number}.npz")
        try:
            record = loop.run(file, key=f"{context.code} {key}")
            end = int(np.flatnonzero(~np.isnan(record.train_loss))[-1])
        except DivergenceError as error:
            if len(points) == 1:
                raise NumericalFailure(f"seed {schedule.seed}: {error}", error.record.to_arrays()) from None
            loop.report(f"seed {schedule.seed} of {point!r}: {error}")
            record, end = error.record, schedule.epochs
        columns.append(_series(record, schedule.snapshots, end))
    stacked = {name: np.stack([column[name] for column in columns], axis=1)[:, None] for name in columns[0]}
    return {"step": np.array(schedule.snapshots), **stacked, **(export(model) if export else {})}


@cache
def _skip_compiler_import() -> None:
    """Keep torch's optimizers from importing torch's compiler, which takes a second and is not used on a CPU."""
    # Torch wraps these methods so that its compiler skips them; the wrappers import the compiler when they are called.
    for name in ("add_param_group", "load_state_dict", "state_dict", "zero_grad"):
        setattr(Optimizer, name, unwrap(getattr(Optimizer, name)))
    # The wrapper of ``step`` also turns gradients off, so ``no_grad`` takes its place.
    Adam.step = torch.no_grad()(unwrap(Adam.step))  # type: ignore[method-assign]


def _series(record: Record, epochs: tuple[int, ...], end: int) -> Arrays:
    """Return name -> series of a run, (records, ...). After a divergence, losses are infinite and all else is NaN.

    epochs: the epochs of the records. end: the epoch after which the run stopped; later records repeat its values. For
    a run that diverged, it is the last epoch of the schedule.
    """
    trained = np.minimum(epochs, end)
    reached = ~np.isnan(record.train_loss[trained]) | (trained == 0)
    series: Arrays = {"epochs_trained": trained if reached.all() else np.where(reached, trained, np.nan)}
    for split in ("train", "test"):
        loss, accuracy = getattr(record, f"{split}_loss")[trained], getattr(record, f"{split}_accuracy")[trained]
        # There is no training loss before the first batch.
        series[f"{split}_loss"] = np.where(np.isnan(loss) & (trained > 0), np.inf, loss)
        series[f"{split}_accuracy"] = accuracy
    if len(record.cpu_seconds):
        total = np.concatenate([[0], record.cpu_seconds.cumsum()])[trained]
        series["cpu_seconds"] = np.where(reached, total, np.nan)
    evaluated = np.flatnonzero(~np.isnan(record.test_loss))
    for name, arrays in record.snapshots.items():
        snapshots = dict(zip(evaluated, arrays, strict=True))
        missing = np.full(arrays[0].shape, np.nan)
        series[name] = np.stack([snapshots.get(epoch, missing) for epoch in trained])
    return series

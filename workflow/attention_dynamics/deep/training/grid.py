"""Trainings of every point of a grid with every seed, put together as one trajectory."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from attention_dynamics.deep_training.fitting import Split
from attention_dynamics.deep_training.initial import seeded
from attention_dynamics.deep_training.loop import Diverged, Training
from attention_dynamics.deep_training.plan import Plan
from attention_dynamics.deep_training.record import Arrays, Record
from attention_dynamics.training import NumericalFailure
from attention_dynamics.grids import grid_points
from attention_dynamics.pipeline import plugins
from attention_dynamics.training import recorded_steps

# How often, in steps, and how much of the time checkpoints may take.
CHECKPOINT_EVERY, CHECKPOINT_SHARE = 50, 0.05


def train_side_by_side(
    splits: Mapping[str, Split], classes: int, spec: Mapping[str, Any], checkpoints: Path | None, code: str, *,
    augment: Callable[[Tensor, Tensor], tuple[Tensor, Tensor]] | None = None,
    observe: Callable[[nn.Module], Arrays] | None = None,
    prepare: Callable[[nn.Module], None] | None = None, export: Callable[[nn.Module], Arrays] | None = None,
    vocabulary: int | None = None, loss: Callable[[Tensor, Tensor], Tensor] = cross_entropy,
    epoch_steps: int | None = None, shuffled: bool = True,
) -> dict[str, NDArray]:  # fmt: skip
    """The trajectory: "step", the epochs of the records, and of every training, (records, 1, trainings, ...),
    train_loss and train_accuracy, means over the batches of an epoch while it trains, NaN before the first,
    test_loss, test_accuracy, epochs_trained, and what ``observe`` returns; and, as it is, what ``export`` returns.

    To be called after ``training.reproducible``. splits: "train" and "test". spec: network, deep_optimizer, epochs,
        batch_size, seeds, record_every, device, and whatever else the callbacks depend on; ``stop_at`` where a
        training is to end early, see ``run_kinds.deep.Epochs``. The trainings are those of every point of the
        optimizer's grid, and for each those of every seed, on a GPU in mixed precision and compiled.
    vocabulary: of texts, its size.
    checkpoints: a path without ending, to which the number of a training is added. code: fingerprint of the code; a
        checkpoint of another one, or of another ``spec``, is passed over. augment, observe, loss: see ``Training``;
        epoch_steps, shuffled: see ``Plan``. prepare: changes a network that has its initial weights. export: gets
        the network of the last training.
    A training that stops early stays as it is then: its later records are those of its end.
    A training of a grid that diverges has infinite losses, and NaN for all else, from there on. Raises
    NumericalFailure, naming seed, epoch and step, for another one, and ValueError for what cannot fit.
    """
    gpu = spec["device"] != "cpu"
    epochs = recorded_steps(spec["epochs"], spec["record_every"])
    samples, *shape = splits["train"].inputs.shape
    key = json.dumps([code, dict(spec)], sort_keys=True)
    sizes = tuple(shape if vocabulary is None else [*shape, vocabulary])
    points = grid_points(spec["deep_optimizer"])
    columns = []
    for number, (point, seed) in enumerate((point, seed) for point in points for seed in spec["seeds"]):
        plan = Plan(
            epochs=spec["epochs"],
            batch_size=spec["batch_size"],
            seed=seed,
            evaluate_every=spec["record_every"],
            snapshots=tuple(epochs),
            checkpoint_every=CHECKPOINT_EVERY,
            checkpoint_share=CHECKPOINT_SHARE,
            epoch_steps=epoch_steps,
            shuffled=shuffled,
            stop_accuracy=(spec.get("stop_at") or {}).get("train_accuracy"),
            precision="bfloat16" if gpu else "float32",
            compiled=gpu,
        )
        model = seeded(seed, lambda: _built(plugins.NETWORK, spec["network"], sizes, classes))
        if prepare:
            prepare(model)
        optimizer = _built(plugins.DEEP_OPTIMIZER, point, model.parameters(), plan.steps_per_pass(samples))
        training = Training(
            model, optimizer, splits, plan, device=spec["device"], augment=augment, observe=observe, loss=loss
        )
        file = None if checkpoints is None else checkpoints.with_name(f"{checkpoints.name}-{number}.npz")
        try:
            record = training.run(file, key=key)
            ended = record.rows[-1][0]
        except Diverged as error:
            if len(points) == 1:
                raise NumericalFailure(f"seed {seed}: {error}", error.record.to_arrays()) from None
            training.report(f"seed {seed} of {point}: {error}")
            record, ended = error.record, epochs[-1]
        columns.append(_series(record, epochs, ended))
    stacked = {name: np.stack([column[name] for column in columns], axis=1)[:, None] for name in columns[0]}
    return {"step": np.array(epochs), **stacked, **(export(model) if export else {})}


def _built(kind: plugins.Kind, block: Mapping[str, Any], *arguments: Any) -> Any:
    """What the plug-in of a block of the configuration builds."""
    return kind.call(block["kind"])(*arguments, **{name: value for name, value in block.items() if name != "kind"})


def _series(record: Record, epochs: list[int], ended: int) -> dict[str, NDArray]:
    """What is recorded of a training, (records, ...), filled up where it diverged.

    ended: the epoch after which it had reached what it was to reach, or the last one.
    """
    trained = [min(epoch, ended) for epoch in epochs]
    found = {(split, epoch): (loss, accuracy) for epoch, split, loss, accuracy in record.rows}
    done = [epoch if not epoch or ("batches", epoch) in found else np.nan for epoch in trained]
    series = {"epochs_trained": np.array(done)}
    for name, split in (("train", "batches"), ("test", "test")):
        # Before training there are no batches.
        rows = [found.get((split, epoch), (np.inf if epoch else np.nan, np.nan)) for epoch in trained]
        series[f"{name}_loss"], series[f"{name}_accuracy"] = np.array(rows).T
    for name, arrays in record.snapshots.items():
        taken = dict(zip(record.snapshot_epochs, arrays, strict=True))
        missing = np.full(arrays[0].shape, np.nan)
        series[name] = np.stack([taken.get(epoch, missing) for epoch in trained])
    return series

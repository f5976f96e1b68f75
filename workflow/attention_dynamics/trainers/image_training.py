"""Networks on images (``attention_dynamics.deep_training``)."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.datasets.images import Images
from attention_dynamics.deep_training.fitting import Split
from attention_dynamics.deep_training.loop import Diverged, Training
from attention_dynamics.deep_training.plan import Plan
from attention_dynamics.deep_training.record import Record
from attention_dynamics.grids import grid_points
from attention_dynamics.pipeline import plugins
from attention_dynamics.records import recorded_steps
from attention_dynamics.training import reproducible
from attention_dynamics.vision.initial import seeded
from attention_dynamics.vision.observed import Observer
from attention_dynamics.vision.pixels import Augmentation, Pixels

# A training that was killed goes on from its checkpoint.
RESUMES = True
CLASSES = 10
CHECKPOINT_EVERY = 500


def train(problem: Images, spec: Mapping[str, Any], checkpoints: Path | None = None) -> dict[str, NDArray]:
    """The trajectory: "step", the epochs of the records, and of every training, (records, 1, trainings, ...),
    train_loss and train_accuracy, means over the batches of an epoch while it trains, NaN before the first,
    test_loss, test_accuracy, and what ``vision.observed.Observer`` observes.

    spec: what ``pipeline.run_kinds.ImageTraining`` describes, and device. The trainings are those of every point of the
        optimizer's grid, and for each those of every seed. checkpoints: a path without ending, to which the number of a
        training is added.
    A training of a grid that diverges has infinite losses, and NaN for all else, from there on. Raises
    FloatingPointError, naming seed, epoch and step, for another one, and ValueError for what cannot fit.
    """
    reproducible(spec["device"])
    pixels = Pixels(spec["pixels"], problem.train_images)
    splits = {
        "train": Split(pixels(problem.train_images), problem.train_labels),
        "test": Split(pixels(problem.test_images), problem.test_labels),
    }
    augment = None
    if spec["crop"] or spec["flip"]:
        augment = Augmentation(spec["crop"], spec["flip"], pixels.black, spec["device"])
    points = grid_points(spec["deep_optimizer"])
    trainings = [(optimizer, seed) for optimizer in points for seed in spec["seeds"]]
    columns = []
    for number, (optimizer, seed) in enumerate(trainings):
        training = _training(splits, spec | {"deep_optimizer": optimizer}, seed)
        training.augment = augment
        file = None if checkpoints is None else checkpoints.with_name(f"{checkpoints.name}-{number}.npz")
        try:
            record = training.run(file, key=f"{spec['crop']} {spec['flip']} {spec['observe']} {spec['image']}")
        except Diverged as error:
            if len(points) == 1:
                raise FloatingPointError(f"seed {seed}: {error}") from None
            training.report(f"seed {seed} of {optimizer}: {error}")
            record = error.record
        columns.append(_series(record, spec))
    stacked = {name: np.stack([column[name] for column in columns], axis=1)[:, None] for name in columns[0]}
    return {"step": np.array(recorded_steps(spec["epochs"], spec["record_every"])), **stacked}


def _training(splits: Mapping[str, Split], spec: Mapping[str, Any], seed: int) -> Training:
    images = splits["train"].images
    gpu = spec["device"] != "cpu"
    plan = Plan(
        epochs=spec["epochs"],
        batch_size=spec["batch_size"],
        seed=seed,
        evaluate_every=spec["record_every"],
        snapshots=tuple(recorded_steps(spec["epochs"], spec["record_every"])),
        checkpoint_every=CHECKPOINT_EVERY,
        precision="bfloat16" if gpu else "float32",
        compiled=gpu,
    )
    network, deep_optimizer = dict(spec["network"]), dict(spec["deep_optimizer"])
    build = plugins.NETWORK.call(network.pop("kind"))
    model = seeded(seed, lambda: build(images.shape[1:], CLASSES, **network))
    rule = plugins.DEEP_OPTIMIZER.call(deep_optimizer.pop("kind"))
    optimizer = rule(model.parameters(), plan.steps_per_epoch(len(images)), **deep_optimizer)
    observe = Observer(spec["observe"], splits["test"].images, spec["image"], spec["device"])
    return Training(model, optimizer, splits, plan, device=spec["device"], observe=observe)


def _series(record: Record, spec: Mapping[str, Any]) -> dict[str, NDArray]:
    """What is recorded of a training, (records, ...), filled up where it ended before its time."""
    epochs = recorded_steps(spec["epochs"], spec["record_every"])
    found = {(split, epoch): (loss, accuracy) for epoch, split, loss, accuracy in record.rows}
    series = {}
    for name, split in (("train", "batches"), ("test", "test")):
        # Before training there are no batches.
        rows = [found.get((split, epoch), (np.inf if epoch else np.nan, np.nan)) for epoch in epochs]
        series[f"{name}_loss"], series[f"{name}_accuracy"] = np.array(rows).T
    for name, arrays in record.snapshots.items():
        missing = len(epochs) - len(arrays)
        series[name] = np.stack([*arrays, *[np.full(arrays[0].shape, np.nan)] * missing])
    return series

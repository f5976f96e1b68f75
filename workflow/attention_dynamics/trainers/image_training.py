"""Networks on images (``attention_dynamics.deep_training``)."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.datasets.images import Images
from attention_dynamics.deep_training.fitting import Split
from attention_dynamics.deep_training.loop import Training
from attention_dynamics.deep_training.plan import Plan
from attention_dynamics.deep_training.record import Record
from attention_dynamics.pipeline import plugins
from attention_dynamics.records import recorded_steps
from attention_dynamics.training import reproducible
from attention_dynamics.vision.initial import seeded
from attention_dynamics.vision.observed import Observer

# A training that was killed goes on from its checkpoint.
RESUMES = True
CLASSES = 10
CHECKPOINT_EVERY = 500


def train(problem: Images, spec: Mapping[str, Any], checkpoints: Path | None = None) -> dict[str, NDArray]:
    """The trajectory: "step", the epochs of the records, and of every seed, (records, 1, seeds, ...), test_loss,
    test_accuracy, and what ``vision.observed.Observer`` observes.

    spec: network, deep_optimizer, epochs, batch_size, seeds, record_every, image, device. checkpoints: a path without
    ending, to which the number of a seed is added. Pixels are scaled to [0, 1]. Raises what ``Training.run`` raises.
    """
    reproducible(spec["device"])
    splits = {
        "train": Split(_pixels(problem.train_images), problem.train_labels),
        "test": Split(_pixels(problem.test_images), problem.test_labels),
    }
    records = [_train(splits, spec, seed, checkpoints) for seed in spec["seeds"]]
    series = [{**_metrics(record), **{k: np.stack(v) for k, v in record.snapshots.items()}} for record in records]
    stacked = {name: np.stack([one[name] for one in series], axis=1)[:, None] for name in series[0]}
    return {"step": np.array(recorded_steps(spec["epochs"], spec["record_every"])), **stacked}


def _train(splits: Mapping[str, Split], spec: Mapping[str, Any], seed: int, checkpoints: Path | None) -> Record:
    image = splits["train"].images.shape[1:]
    network, deep_optimizer = dict(spec["network"]), dict(spec["deep_optimizer"])
    build = plugins.NETWORK.call(network.pop("kind"))
    model = seeded(seed, lambda: build(image, CLASSES, **network))
    optimizer = plugins.DEEP_OPTIMIZER.call(deep_optimizer.pop("kind"))(model.parameters(), **deep_optimizer)
    plan = Plan(
        epochs=spec["epochs"],
        batch_size=spec["batch_size"],
        seed=seed,
        evaluate_every=spec["record_every"],
        snapshots=tuple(recorded_steps(spec["epochs"], spec["record_every"])),
        checkpoint_every=CHECKPOINT_EVERY,
    )
    observe = Observer(splits["test"].images, spec["image"], spec["device"])
    training = Training(model, optimizer, splits, plan, device=spec["device"], observe=observe)
    file = None if checkpoints is None else checkpoints.with_name(f"{checkpoints.name}-{seed}.npz")
    return training.run(file, key=f"image {spec['image']}")


def _metrics(record: Record) -> dict[str, NDArray]:
    """test_loss and test_accuracy, (records,)."""
    table = record.metrics()
    test = table["split"] == "test"
    return {"test_loss": table["loss"][test], "test_accuracy": table["accuracy"][test]}


def _pixels(images: NDArray[np.uint8]) -> NDArray[np.float32]:
    """(N, H, W, C), 0 to 255, as (N, C, H, W), 0 to 1."""
    return np.ascontiguousarray(images.transpose(0, 3, 1, 2), dtype=np.float32) / np.float32(255)

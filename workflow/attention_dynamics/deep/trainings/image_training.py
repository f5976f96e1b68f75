"""Networks on images (``attention_dynamics.deep_training``)."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray
from torch import Tensor

from attention_dynamics.datasets.images import Images
from attention_dynamics.deep_training.fitting import Split
from attention_dynamics.deep_training.side_by_side import train_side_by_side
from attention_dynamics.attention.descent import reproducible
from attention_dynamics.vision.observed import Observer
from attention_dynamics.vision.pixels import Augmentation, Pixels

# A training that was killed goes on from its checkpoint.
RESUMES = True
CLASSES = 10


def train(
    problem: Images, spec: Mapping[str, Any], checkpoints: Path | None = None, code: str = ""
) -> dict[str, NDArray]:
    """See ``deep_training.side_by_side``, also for what is raised.

    What is observed is what ``vision.observed.Observer`` returns.

    spec: what ``pipeline.run_kinds.deep.ImageTraining`` describes, and device. checkpoints, code: see there.
    """
    reproducible(spec["device"])
    pixels = Pixels(spec["pixels"], problem.train_images)
    splits = {
        "train": Split(pixels(problem.train_images), problem.train_labels),
        "test": Split(pixels(problem.test_images), problem.test_labels),
    }
    augment = None
    if spec["crop"] or spec["flip"]:
        varied = Augmentation(spec["crop"], spec["flip"], pixels.black, spec["device"])

        def augment(images: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
            return varied(images), labels

    observe = Observer(spec["observe"], splits["test"].inputs, spec["image"], spec["device"])
    return train_side_by_side(splits, CLASSES, spec, checkpoints, code, augment=augment, observe=observe)

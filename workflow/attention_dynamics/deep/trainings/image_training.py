"""Networks on images."""

from functools import partial
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from attention_dynamics.deep.trainings.deep_training import EpochTraining
from attention_dynamics.deep.vision.pixels import PixelScaling, Scaling
from attention_dynamics.training import NO_CONTEXT, JobContext
from attention_dynamics.types import Index

if TYPE_CHECKING:
    from torch import Tensor

    from attention_dynamics.deep.datasets.labelled_images import Images

CLASSES = 10


class ImageTraining(EpochTraining, kind="image_training"):
    """A network on images.

    image: index of the test image whose attention map is recorded. pixels: see ``PixelScaling``. crop, flip: random
    variants of the images, see ``Augmentation``.
    """

    data = "images"

    image: Index = 0
    pixels: Scaling = "unit"
    crop: Index = 0
    flip: bool = False

    def train(self, problem: "Images", context: JobContext = NO_CONTEXT) -> dict[str, NDArray[Any]]:
        """Return the trajectory of ``train_grid``, with the observations of ``ImageObserver`` on the test images."""
        from attention_dynamics.deep.training.grid import train_grid
        from attention_dynamics.deep.training.training_checks import Split
        from attention_dynamics.deep.vision.augmentation import Augmentation
        from attention_dynamics.deep.vision.image_observer import ImageObserver

        scaling = PixelScaling(self.pixels, problem.train_images)
        train = Split(scaling(problem.train_images), problem.train_labels)
        test = Split(scaling(problem.test_images), problem.test_labels)
        vary = Augmentation(self.crop, self.flip, scaling.black, context.device)

        def augment(images: "Tensor", labels: "Tensor") -> tuple["Tensor", "Tensor"]:
            return vary(images), labels

        return train_grid(
            self,
            context,
            {"train": train, "test": test},
            partial(self.network.build, train.inputs.shape[1:], CLASSES),
            augment=augment if self.crop or self.flip else None,
            observe=ImageObserver(self.observe, test.inputs, self.image, context.device),
        )

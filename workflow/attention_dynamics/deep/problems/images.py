"""Images with classes, from a data set."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Literal

from attention_dynamics.problems.shape import Shape
from attention_dynamics.problems.source import ProblemSource
from attention_dynamics.types import Count, DataSource

if TYPE_CHECKING:
    from attention_dynamics.deep.datasets.labelled_images import Images


@dataclass(frozen=True, kw_only=True)
class ImageShape(Shape):
    """Shape of images, known before they are loaded."""

    data: ClassVar[str] = "images"


class ImageSource(ProblemSource, kind="images"):
    """Images of a data set.

    upscaled: the embedded stand-in has the size of the images that it replaces. train, test: number of images, the
    first ones; all by default.
    """

    reads_dataset = True

    dataset: Literal["mnist", "cifar10", "digits"]
    upscaled: bool = False
    train: Count | None = None
    test: Count | None = None

    @property
    def shape(self) -> ImageShape:
        """See ``ProblemSource.shape``."""
        return ImageShape()

    def build(self, source: DataSource = "embedded", mirror: str | None = None) -> "Images":
        """Return the images. source, mirror and errors: see ``load_images``."""
        from attention_dynamics.deep.datasets.load_images import load_images

        upscaled = self.upscaled and source == "embedded"
        if self.dataset == "digits":
            source = "embedded"
        images = load_images(self.dataset, source, mirror=mirror, upscaled=upscaled)
        return replace(
            images,
            train_images=images.train_images[: self.train],
            train_labels=images.train_labels[: self.train],
            test_images=images.test_images[: self.test],
            test_labels=images.test_labels[: self.test],
        )

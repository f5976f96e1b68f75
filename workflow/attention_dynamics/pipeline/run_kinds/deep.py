"""Runs of networks: images, texts, pre-training and what follows it."""

from typing import Any, ClassVar, Literal

from pydantic import Field
from typing_extensions import override

from attention_dynamics.block_types import Strict
from attention_dynamics.grids import grid_axis, grid_points
from attention_dynamics.pipeline import plugins
from attention_dynamics.pipeline.run_kinds.base import Iterated, Misfit, Run
from attention_dynamics.pipeline.unions import block
from attention_dynamics.problems.problem import Shape
from attention_dynamics.training import recorded_steps
from attention_dynamics.types import Count, Index, Name, Probability, Seeds


class DeepTraining(Run):
    """A network, side by side: for every point of the optimizer's grid one training for each of the seeds.

    seeds: of initial weights, dropout and order of the data. observe: what, beside losses and accuracies.
    NETWORKS: what networks of this kind are for, where it is not DATA.
    """

    NETWORKS: ClassVar[str] = ""

    network: block(plugins.NETWORK)
    deep_optimizer: block(plugins.DEEP_OPTIMIZER)
    batch_size: Count
    seeds: Seeds = Field(default_factory=lambda: [0])
    observe: list[Literal["cls_attention", "sentences", "weights"]] = Field(default_factory=list)

    def sizes(self) -> dict[str, Any]:
        """What the weights of the network are for."""
        return self.network.model_dump(exclude={"kind", "dropout"})

    @override
    def parameters(self) -> list[str]:
        return []

    @override
    def columns(self, shape: Shape) -> int:
        return len(grid_points(self.deep_optimizer.model_dump())) * len(self.seeds)

    @override
    def check(self, shape: Shape) -> None:
        data, wanted = plugins.NETWORK.constant(self.network.kind, "DATA"), self.NETWORKS or self.DATA
        if data != wanted:
            raise Misfit("network", f"{self.network.kind} is for {data}, this kind of run is for {wanted}")
        sizes = self.network.model_dump()
        heads = sizes.get("heads", 1)
        if sizes.get("head_dim") is None and sizes.get("dim", heads) % heads:
            raise Misfit("network.heads", f"{heads} of them do not divide dim = {sizes['dim']}")
        try:
            grid_points(self.deep_optimizer.model_dump())
        except ValueError as error:
            raise Misfit("deep_optimizer", str(error)) from None
        observable = plugins.NETWORK.constant(self.network.kind, "OBSERVABLE")
        for name in self.observe:
            if name not in observable:
                there = ", ".join(observable) or "nothing"
                raise Misfit("observe", f"of network {self.network.kind} there is {there} to observe, got {name}")
        if self.measures.best_of_grid and not grid_axis(self.deep_optimizer.model_dump()):
            raise Misfit("measures.best_of_grid", "needs a grid: a list in deep_optimizer")
        super().check(shape)


class StopAt(Strict):
    """train_accuracy: of the batches of an epoch, while it trains."""

    train_accuracy: Probability


class Epochs(DeepTraining):
    """So many passes through the data.

    record_every: at which epochs the network is evaluated and observed. stop_at: end a training after the epoch that
    reaches this; its later records are those of its end.
    """

    epochs: Count
    record_every: Count = 1
    stop_at: StopAt | None = None

    @override
    def records(self, step: int) -> bool:
        return step in recorded_steps(self.epochs, self.record_every)

    @property
    @override
    def recorded(self) -> str:
        return f"epochs 0 to {self.epochs} by {self.record_every}"


class ImageTraining(Epochs):
    """A network on images.

    image: which of the test images attention maps are of. pixels: see ``vision.pixels.Pixels``. crop, flip: random
    variants of the images, ``vision.pixels.Augmentation``.
    """

    DATA: ClassVar[str] = "images"

    kind: Literal["image_training"]
    image: Index = 0
    pixels: Literal["unit", "signed", "standardized", "published_cifar10"] = "unit"
    crop: Index = 0
    flip: bool = False


class TextClassification(Epochs):
    """A network on texts with classes. pretrained: the run on the same problem that its encoder's weights come from;
    without one they are random.
    """

    DATA: ClassVar[str] = "texts"

    kind: Literal["text_classification"]
    pretrained: Name | None = None

    @override
    def check(self, shape: Shape) -> None:
        super().check(shape)
        wanted = plugins.NETWORK.constant(self.network.kind, "CLASSES", default=shape.classes)
        if wanted != shape.classes:
            what = f"{self.network.kind} is for {wanted} classes, {self.problem} has {shape.classes}"
            raise Misfit("network", what)


class MaskedLanguageModelling(Epochs):
    """A network that names masked pieces of texts. Its one training leaves weights to ``TextClassification``."""

    DATA: ClassVar[str] = "texts"
    NETWORKS: ClassVar[str] = "masked texts"

    kind: Literal["masked_language_modelling"]

    @override
    def check(self, shape: Shape) -> None:
        if self.columns(shape) > 1:
            raise Misfit("seeds", "one training, of one seed and without a grid, leaves weights to others")
        super().check(shape)


class PublishedWeights(Run):
    """Weights of ``bert-base-uncased``, in the place of ``MaskedLanguageModelling``."""

    DATA: ClassVar[str] = "texts"

    SIZES: ClassVar[dict[str, int]] = {"dim": 768, "depth": 12, "heads": 12, "mlp": 3072, "positions": 512}

    kind: Literal["published_weights"]

    def sizes(self) -> dict[str, int]:
        """Those of ``bert-base-uncased``."""
        return self.SIZES

    @override
    def records(self, step: int) -> bool:
        return step == 0

    @property
    @override
    def recorded(self) -> str:
        return "0"

    @override
    def parameters(self) -> list[str]:
        return []


class LanguageModelling(DeepTraining, Iterated):
    """A decoder on running text, read in its order, without end: after its last segment comes its first.

    record_every: at which steps, which end with one of them, the decoder is evaluated and observed. segment: how many
    words are read at once; a batch has so many segments, from as many places of the text.
    """

    DATA: ClassVar[str] = "corpus"

    kind: Literal["language_modelling"]
    segment: Count

    @override
    def check(self, shape: Shape) -> None:
        if self.record_digits or self.steps % self.record_every:
            raise Misfit("record_every", f"needs to divide the {self.steps} steps, without record_digits")
        super().check(shape)

"""Kinds of training of networks: on images, texts with classes, running text and masked texts."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator
from pydantic.types import Strict

from attention_dynamics.deep.networks import Network
from attention_dynamics.deep.optim import DeepOptimizer
from attention_dynamics.deep.trainer.schedule import Schedule
from attention_dynamics.registry import Frozen
from attention_dynamics.training import (
    NO_CONTEXT,
    IncompatibleRunError,
    Iterated,
    JobContext,
    Training,
    is_recorded,
    recorded_steps,
    require_data,
)
from attention_dynamics.types import Count, Index, Name, Probability, PublishedModel, Seeds

if TYPE_CHECKING:
    from torch import Tensor, nn

    from attention_dynamics.deep.datasets.labelled import EncodedCorpus, EncodedTexts, Images
    from attention_dynamics.deep.problems import TextShape
    from attention_dynamics.deep.trainer.splits import Split

# Makes this module importable as a package, so that plug-ins can be its submodules.
__path__: list[str] = []
# Seed of the masks of test texts.
TEST_SEED = 0
# See ``PixelScaling``.
Scaling = Literal["unit", "signed", "standardized", "published_cifar10"]
Arrays = dict[str, NDArray[Any]]
# Settings of published models that determine the shapes of their weights.
PUBLISHED_SIZES: dict[PublishedModel, dict[str, Any]] = {
    "bert-base-uncased": {"dim": 768, "depth": 12, "heads": 12, "mlp": 3072, "positions": 512},
    "all-minilm-l6-v2": {"dim": 384, "depth": 6, "heads": 12, "mlp": 1536, "positions": 512},
}


class DeepTraining(Training):
    """Training runs of a network: one for each point of the optimizer's grid and each seed.

    seeds: one training run for each; the seed determines the random numbers of the run. observe: what to record of the
    network besides losses and accuracies. network_data: the ``Network.data`` that this kind of training needs, if it is
    not ``data``.
    """

    uses_device: ClassVar[bool] = True
    network_data: ClassVar[str] = ""

    network: Network
    deep_optimizer: DeepOptimizer
    batch_size: Count
    seeds: Seeds = (0,)
    observe: Annotated[tuple[Literal["cls_attention", "sentences", "weights"], ...], Strict(False)] = ()

    @model_validator(mode="after")
    def _check_network(self) -> Self:
        wanted = self.network_data or self.data
        if self.network.data != wanted:
            raise ValueError(
                f"network: {self.network.kind} reads {self.network.data}, but this kind of run trains on {wanted}"
            )
        for name in self.observe:
            if name not in self.network.observable:
                there = ", ".join(self.network.observable) or "nothing"
                raise ValueError(f"observe: network {self.network.kind} has no {name}; it has {there}")
        return self

    def schedule(self, seed: int) -> Schedule:
        """Return the schedule of the training run with this seed. Its ``snapshots`` are the epochs of the records."""
        raise NotImplementedError

    def train_grid(
        self, context: JobContext, train: "Split", test: "Split", build: "Callable[[], nn.Module]", **options: Any
    ) -> Arrays:
        """Return the trajectory of ``grid.train_grid`` with these settings."""
        from attention_dynamics.deep.trainer.grid import train_grid

        points, schedules = self.deep_optimizer.points, [self.schedule(seed) for seed in self.seeds]
        splits = {"train": train, "test": test}
        return train_grid(points, schedules, context, splits, build, key=self.model_dump_json(), **options)

    @property
    def sizes(self) -> dict[str, Any]:
        """Settings that determine the shapes of the network's weights."""
        return self.network.sizes

    def columns(self, shape: Any) -> int:
        """Return the number of training runs."""
        return len(self.deep_optimizer.points) * len(self.seeds)

    def check(self, shape: Any) -> None:
        """Raise IncompatibleRunError unless the training fits a problem of this shape."""
        require_data(shape, self.data)
        super().check(shape)


class StopAt(Frozen):
    """Condition for the early end of a training.

    train_accuracy: end after the first epoch with at least this share of right answers over its batches in training.
    """

    train_accuracy: Probability


class EpochTraining(DeepTraining):
    """Training for a number of passes through the data.

    record_every: number of epochs between records, at which the network is evaluated and observed. stop_at: end a
    training run after the first epoch that reaches this accuracy; the run's later records repeat its last one. decay:
    how the learning rate falls over the epochs; "cosine": as torch's ``CosineAnnealingLR``, from the optimizer's rate
    toward 0, constant within an epoch. timed: record the CPU time of the steps, which differs each time that a training
    is repeated; on a GPU, the CPU time of the process that drives it.
    """

    epochs: Count
    record_every: Count = 1
    stop_at: StopAt | None = None
    decay: Literal["none", "cosine"] = "none"
    timed: bool = False

    @model_validator(mode="after")
    def _check_decay(self) -> Self:
        if self.decay != "none" and "lr" not in type(self.deep_optimizer).model_fields:
            raise ValueError(f"decay: {self.deep_optimizer.kind} has no learning rate lr that could decay")
        return self

    def schedule(self, seed: int) -> Schedule:
        """See ``DeepTraining.schedule``."""
        return Schedule(
            epochs=self.epochs,
            batch_size=self.batch_size,
            seed=seed,
            snapshots=tuple(recorded_steps(self.epochs, self.record_every)),
            stop_accuracy=self.stop_at.train_accuracy if self.stop_at else None,
            decay=self.decay,
            timed=self.timed,
        )

    def records_step(self, step: float) -> bool:
        """Return whether an epoch is recorded."""
        return is_recorded(step, self.epochs, self.record_every)

    @property
    def record_schedule(self) -> str:
        """The recorded epochs, for messages."""
        return f"epochs 0 to {self.epochs} by {self.record_every}"


class ImageTraining(EpochTraining, kind="image_training"):
    """Training of a network to classify images.

    image: index of the test image whose attention map is recorded. pixels: scaling of pixels, see ``PixelScaling``.
    crop: shift training images at random by up to this many pixels. flip: mirror them left-right with probability 1/2.
    """

    data = "images"

    image: Index = 0
    pixels: Scaling = "unit"
    crop: Index = 0
    flip: bool = False

    def train(self, problem: "Images", context: JobContext = NO_CONTEXT) -> Arrays:
        """Return the trajectory of ``train_grid``, with the observations of ``ImageObserver`` on the test images."""
        from attention_dynamics.deep.modules.images import Augmentation, PixelScaling
        from attention_dynamics.deep.modules.observers import ImageObserver
        from attention_dynamics.deep.trainer.splits import Split

        scaling = PixelScaling(self.pixels, problem.train_images)
        train = Split(scaling(problem.train_images), problem.train_labels)
        test = Split(scaling(problem.test_images), problem.test_labels)
        vary = Augmentation(self.crop, self.flip, scaling.black, context.device)

        def augment(images: "Tensor", labels: "Tensor") -> tuple["Tensor", "Tensor"]:
            return vary(images), labels

        build = partial(self.network.build, train.inputs.shape[1:], problem.classes)
        observe = ImageObserver(self.observe, test.inputs, self.image, context.device)
        varied = augment if self.crop or self.flip else None
        return self.train_grid(context, train, test, build, augment=varied, observe=observe)


class TextClassification(EpochTraining, kind="text_classification"):
    """Training of a network to classify texts.

    pretrained: name of a run on the same problem, from whose encoder weights to start; None for random weights.
    """

    data = "texts"

    pretrained: Name | None = None

    def check(self, shape: "TextShape") -> None:
        """Raise IncompatibleRunError also for a network with another number of classes."""
        super().check(shape)
        if self.network.classes not in (None, shape.classes):
            message = f"{self.network.kind} has {self.network.classes} classes, but the problem has {shape.classes}"
            raise IncompatibleRunError("network", message)

    def train(self, problem: "EncodedTexts", context: JobContext = NO_CONTEXT) -> Arrays:
        """Return the trajectory of ``train_grid``, with the observations of ``ClassifierObserver``.

        Raises ValueError also if ``context.pretrained`` has the weights of another encoder.
        """
        from attention_dynamics.deep.modules.bert import put_encoder_weights
        from attention_dynamics.deep.modules.observers import ClassifierObserver
        from attention_dynamics.deep.trainer.splits import Split

        train = Split(problem.train_tokens, problem.train_labels)
        test = Split(problem.test_tokens, problem.test_labels)

        def build() -> "nn.Module":
            model = self.network.build((*train.inputs.shape[1:], len(problem.words)), len(problem.classes))
            if context.pretrained:
                put_encoder_weights(model, context.pretrained)
            return model

        sentences = problem.sentences.tokens if problem.sentences else None
        observe = ClassifierObserver(self.observe, sentences, context.device)
        return self.train_grid(context, train, test, build, observe=observe)


class LanguageModelling(DeepTraining, Iterated, kind="language_modelling"):
    """Training of a decoder on running text, read in order and from the beginning again after the last segment.

    record_every: steps between evaluations and observations of the decoder; it divides ``steps``. segment: number of
    words that are read at once; a batch has ``batch_size`` segments from different places of the text.
    """

    data = "corpus"

    segment: Count

    @model_validator(mode="after")
    def _check_records(self) -> Self:
        if self.record_digits or self.steps % self.record_every:
            raise ValueError(f"record_every: must divide the {self.steps} steps, and record_digits must not be set")
        return self

    def schedule(self, seed: int) -> Schedule:
        """See ``DeepTraining.schedule``; an epoch consists of the steps between two records."""
        epochs = self.steps // self.record_every
        return Schedule(
            epochs=epochs,
            batch_size=self.batch_size,
            seed=seed,
            snapshots=tuple(range(epochs + 1)),
            epoch_steps=self.record_every,
            shuffled=False,
        )

    def train(self, problem: "EncodedCorpus", context: JobContext = NO_CONTEXT) -> Arrays:
        """Return the trajectory of ``train_grid``, with steps of the optimizer as "step".

        test_loss and the observations of ``DecoderObserver`` are on the validation text.
        """
        from attention_dynamics.deep.modules.decoder import cut_segments
        from attention_dynamics.deep.modules.observers import DecoderObserver
        from attention_dynamics.deep.trainer.splits import Split, token_loss

        train = Split(*cut_segments(problem.train_ids, self.batch_size, self.segment))
        valid = Split(*cut_segments(problem.valid_ids, 1, self.segment))
        words = len(problem.words)
        build = partial(self.network.build, (self.segment, words), words)
        observe = DecoderObserver(valid.inputs, context.device)
        trajectory = self.train_grid(context, train, valid, build, loss=token_loss, observe=observe)
        return trajectory | {"step": np.array(self.recorded_steps)}


class Pretraining(Training):
    """A training whose weights, "weights/<name>" in its trajectory, ``TextClassification.pretrained`` can load.

    vocabularies: values of ``TextSource.vocabulary`` that it fits.
    """

    data: ClassVar[str] = "texts"
    provides_weights: ClassVar[bool] = True
    vocabularies: ClassVar[tuple[str, ...]] = ()

    @property
    def sizes(self) -> dict[str, Any]:
        """Settings that determine the shapes of the weights. A network that loads them must have equal ``sizes``."""
        raise NotImplementedError

    def check(self, shape: Any) -> None:
        """Raise IncompatibleRunError also for texts of another vocabulary."""
        require_data(shape, self.data)
        if shape.vocabulary not in self.vocabularies:
            allowed = ", ".join(self.vocabularies)
            message = f"the problem has the vocabulary {shape.vocabulary!r}, which is not one of {allowed}"
            raise IncompatibleRunError("problem", message)


class MaskedLanguageModelling(EpochTraining, Pretraining, kind="masked_language_modelling"):
    """Training of a network to predict masked pieces of texts. ``TextClassification`` can load its weights."""

    data = "texts"
    network_data = "masked texts"
    vocabularies = ("pieces", "bert-base-uncased")

    @model_validator(mode="after")
    def _check_single(self) -> Self:
        if self.columns(None) > 1:
            raise ValueError("seeds: needs one seed, and no grid, because other runs load the weights of this training")
        return self

    def train(self, problem: "EncodedTexts", context: JobContext = NO_CONTEXT) -> Arrays:
        """Return the trajectory of ``train_grid``, and "weights/<name>" of the encoder.

        Classes are not used. Losses and accuracies are means over the pieces that ``Masking`` chose; in training, means
        over the batches of an epoch. Training texts are masked anew in every epoch, test texts once.
        """
        import torch

        from attention_dynamics.deep.modules.bert import Masking, read_encoder_weights
        from attention_dynamics.deep.trainer.splits import Split, token_loss

        vocabulary = problem.words.tolist()
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(TEST_SEED)
            texts = torch.as_tensor(problem.test_tokens)
            masked, labels = Masking(vocabulary)(texts, texts[:, 0].long())
        train = Split(problem.train_tokens, problem.train_tokens[:, 0])
        test = Split(masked.numpy(), labels.numpy())
        build = partial(self.network.build, (*train.inputs.shape[1:], len(vocabulary)), len(vocabulary))
        augment = Masking(vocabulary, context.device)
        return self.train_grid(
            context, train, test, build, loss=token_loss, augment=augment, export=read_encoder_weights
        )


class PublishedWeights(Pretraining, kind="published_weights"):
    """Published weights, in place of a run of ``MaskedLanguageModelling``.

    model: ``bert-base-uncased``, or ``all-minilm-l6-v2``, a smaller BERT with the same vocabulary, which was trained
    further, on pairs of sentences.
    """

    uses_source = True
    vocabularies = ("bert-base-uncased",)

    model: PublishedModel = "bert-base-uncased"

    @property
    def sizes(self) -> dict[str, Any]:
        """See ``PUBLISHED_SIZES``."""
        return dict(PUBLISHED_SIZES[self.model])

    def records_step(self, step: float) -> bool:
        """Return whether a step is 0, the only recorded one."""
        return step == 0

    @property
    def record_schedule(self) -> str:
        """The recorded step, for messages."""
        return "0"

    def train(self, problem: "EncodedTexts", context: JobContext = NO_CONTEXT) -> Arrays:
        """Return the weights of the model's encoder, as "weights/<name>", and "step", which is 0.

        The weights are read from ``context.source``. Raises what ``load_weights`` raises.
        """
        from attention_dynamics.deep.datasets.published_bert import load_weights
        from attention_dynamics.deep.modules.bert import rename_published_weights

        weights = load_weights(context.source, context.mirror, model=self.model)
        return {"step": np.zeros(1, dtype=np.int64), **rename_published_weights(weights)}

"""What a run's block may say: one class for every kind of run, a module in ``trainers``."""

from functools import cached_property
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, Field, create_model
from typing_extensions import override

from attention_dynamics.grids import grid_axis, grid_points
from attention_dynamics.pipeline import plugins
from attention_dynamics.pipeline.start_forms import OfProblem, Starts, points_given
from attention_dynamics.pipeline.unions import any_of, block
from attention_dynamics.problems.problem import Array, Shape
from attention_dynamics.records import recorded_steps
from attention_dynamics.types import (
    Count,
    Counts,
    Exponent,
    Index,
    Name,
    NonNegative,
    Positive,
    Positives,
    Precision,
    Probability,
    Seeds,
    Strict,
)

Loss = Literal[tuple(plugins.LOSS.names())]
Reference = block(plugins.REFERENCE)


class Misfit(ValueError):
    """A run does not fit its problem. ``key``: the key of the run that is wrong."""

    def __init__(self, key: str, what: str) -> None:
        super().__init__(what)
        self.key = key


Measures = create_model(
    "Measures",
    __base__=Strict,
    **{name: (plugins.MEASURE.arguments(name, Strict) | None, None) for name in plugins.MEASURE.names()},
)


class Borrowed(Strict):
    """A reference of the tokens that another run on the same problem selects."""

    run: Name
    reference: Name


class Run(Strict):
    """What every kind of run has.

    references: SVMs of the tokens that the softmax selects at the last record, for problems in which it is saturated;
        by name, beside the problem's own. borrowed: such references of other runs.
    saturated: mean over the inputs of the largest probability from which on a softmax counts as saturated.
    counterpart: another run on the same problem that this one is measured against.
    """

    problem: Name
    measures: Measures
    references: dict[Name, Reference] = Field(default_factory=dict)
    borrowed: dict[Name, Borrowed] = Field(default_factory=dict)
    saturated: Probability = 0.99999
    counterpart: Name | None = None

    DATA: ClassVar[str] = "tokens"

    def parameters(self) -> list[str]:
        """What a trajectory records and references are about."""
        return ["p"]

    def start_points(self) -> dict[str, Array]:
        """Starting points, (starts, m), of the parameters that are given any here and not by the problem."""
        return {}

    def records(self, step: int) -> bool:
        """Whether an iteration (or the radius of a regularization path) is recorded."""
        raise NotImplementedError

    @property
    def recorded(self) -> str:
        """What is recorded, for messages."""
        raise NotImplementedError

    def columns(self, shape: Shape) -> int:
        """Trajectories per problem."""
        return max([1, *map(len, self.start_points().values())])

    def check_data(self, shape: Shape) -> None:
        """Raise Misfit unless the problem is made of what this kind of run is for."""
        if shape.data != self.DATA:
            raise Misfit("problem", f"{self.problem} is made of {shape.data}, this kind of run is for {self.DATA}")
        if self.references and self.DATA != "tokens":
            raise Misfit("references", "there are none for this kind of run")

    def refuse_trained_head(self, shape: Shape) -> None:
        """Raise Misfit where the problem's head is to be trained."""
        if not shape.fixed_head:
            raise Misfit("problem", f"{self.problem} has a head to be trained, this kind of run trains p alone")

    def check(self, shape: Shape) -> None:
        """Raise Misfit unless the run fits a problem of this shape."""
        if self.references and self.columns(shape) > 1:
            raise Misfit("references", "the selected tokens are those of one start, this run has several")
        for name, points in self.start_points().items():
            dimension = shape.key_dimension if name == "p" and shape.key_dimension else shape.dimension
            if points.shape[1] > dimension:
                what = f"points have {points.shape[1]} coordinates, problem {self.problem} has {dimension}"
                raise Misfit(f"start.{name}", what)


class Iterated(Run):
    """So many steps.

    record_every, record_digits: which iterates are recorded (``records.recorded_steps``); the latter replaces the
        former.
    """

    steps: Count
    record_every: Count = 1
    record_digits: Annotated[int, Field(ge=1, le=6)] | None = None

    @override
    def records(self, step: int) -> bool:
        return step in self._recorded

    @cached_property
    def _recorded(self) -> set[int]:
        return set(recorded_steps(self.steps, self.record_every, self.record_digits))

    @property
    @override
    def recorded(self) -> str:
        if self.record_digits:
            return f"up to {self.record_digits} significant digits from 0 to {self.steps}"
        return f"0 to {self.steps} by {self.record_every}"


class GradientDescent(Iterated):
    """A model, a loss, an optimizer, and where training starts.

    start: initial points of every trained parameter, in the problem's first coordinates.
    head_optimizer: for v, where it is trained and differs from ``optimizer``.
    """

    kind: Literal["gradient_descent"]
    model: block(plugins.MODEL)
    loss: Loss
    optimizer: block(plugins.OPTIMIZER)
    head_optimizer: block(plugins.OPTIMIZER) | None = None
    start: Annotated[dict[Literal["p", "v"], Starts], Field(min_length=1)]
    precision: Precision = "stable"

    @override
    def parameters(self) -> list[str]:
        return [*plugins.MODEL.constant(self.model.kind, "PARAMETERS"), *(name for name in self.start if name != "p")]

    @override
    def start_points(self) -> dict[str, Array]:
        return points_given(self.start)

    @override
    def columns(self, shape: Shape) -> int:
        return self._counts()["p"]

    def _counts(self) -> dict[str, int]:
        """How many starts every parameter is given."""
        listed = {name: len(p.of_problem) for name, p in self.start.items() if isinstance(p, OfProblem)}
        return listed | {name: len(points) for name, points in self.start_points().items()}

    @override
    def check(self, shape: Shape) -> None:
        if ("v" in self.start) == shape.fixed_head:
            head = "fixed head: v cannot be started" if shape.fixed_head else "head to be trained: v needs a start"
            raise Misfit("start", f"problem {self.problem} has a {head}")
        if "p" not in self.start:
            raise Misfit("start", "needs the key p")
        for name, points in self.start.items():
            there = shape.starts.get(name, 0)
            if isinstance(points, OfProblem) and max(points.of_problem) >= there:
                what = f"problem {self.problem} provides {there} starts for {name}, counted from 0"
                raise Misfit(f"start.{name}.of_problem", what)
        counts = self._counts()
        if len(set(counts.values())) != 1:
            raise Misfit("start", f"as many starts for every parameter, got {counts}")
        for key in ("optimizer", "head_optimizer"):
            for name, value in getattr(self, key) or ():
                if isinstance(value, list) and len(value) != counts["p"]:
                    raise Misfit(f"{key}.{name}", f"a list has a number for every start, {counts['p']} of them")
        super().check(shape)


class SpanDescent(Run):
    """Normalized gradient descent of a prompt on the logistic risk from p(0) = 0, for thousands of problems at once.

    epsilon: added to the gradient's norm, as published code does. Records the first and the last iterate.
    """

    kind: Literal["span_descent"]
    steps: Count
    step_size: Positive
    precision: Precision = "stable"
    epsilon: NonNegative = 0.0

    @override
    def records(self, step: int) -> bool:
        return step in (0, self.steps)

    @property
    @override
    def recorded(self) -> str:
        return f"0 and {self.steps}"

    @override
    def check(self, shape: Shape) -> None:
        self.refuse_trained_head(shape)
        super().check(shape)


class Cone(Strict):
    """The cone of eq. (9): within ``half_angle`` degrees of an axis, at least ``radius`` from the origin."""

    half_angle: Annotated[float, Field(gt=0, lt=90)]
    radius: Positive


def _growing(radii: list[int]) -> list[int]:
    if sorted(set(radii)) != radii:
        raise ValueError(f"radii grow, got {radii}")
    return radii


class BoundedNorm(Run):
    """Minimisers under a bound on the norm, ``radii``, which take the place of iterations."""

    radii: Annotated[Counts, AfterValidator(_growing)]

    @override
    def records(self, step: int) -> bool:
        return step in (0, *self.radii)

    @property
    @override
    def recorded(self) -> str:
        return ", ".join(map(str, [0, *self.radii]))


class RegularizationPath(BoundedNorm):
    """argmin of the risk over |p| <= R for each of the radii R.

    cone: restrict p to a cone around each start (Max-margin eq. 9).
    head_ratio: minimise over the head too, |v| <= head_ratio R (Max-margin eq. 2).
    """

    kind: Literal["regularization_path"]
    loss: Loss
    start: dict[Literal["p"], Starts] = Field(default_factory=dict)
    cone: Cone | None = None
    head_ratio: Positive | None = None

    @override
    def parameters(self) -> list[str]:
        return ["p", "v"] if self.head_ratio else ["p"]

    @override
    def start_points(self) -> dict[str, Array]:
        return points_given(self.start)

    @override
    def check(self, shape: Shape) -> None:
        if (self.head_ratio is None) != shape.fixed_head:
            head = "fixed head: it has no radius" if shape.fixed_head else "head to be trained: give its ratio"
            raise Misfit("head_ratio", f"problem {self.problem} has a {head}")
        if bool(self.cone) != bool(self.start):
            raise Misfit("start", "a path has starts where it is restricted to cones around them, and only there")
        for points in self.start_points().values():
            if points.shape[1] != 2 or not points.any(1).all():
                raise Misfit("start.p", "the axis of a cone has two coordinates, not both zero")
        if not shape.planar:
            raise Misfit("problem", f"{self.problem} is not planar")
        if self.head_ratio and self.loss != "logistic":
            raise Misfit("loss", f"the joint path is that of the logistic loss, got {self.loss}")
        if self.cone and self.head_ratio:
            raise Misfit("cone", "a joint path cannot be restricted to a cone")
        if self.cone and self.radii[0] < self.cone.radius:
            raise Misfit("radii", f"the cone begins at radius {self.cone.radius:g}, got {self.radii}")
        super().check(shape)


class LpRegularizationPath(BoundedNorm):
    """argmin of the risk over |W|_p <= R, with p the ``exponent`` and R in units of the norm of the l_p-AttSVM."""

    kind: Literal["lp_regularization_path"]
    loss: Loss
    exponent: Exponent

    @override
    def check(self, shape: Shape) -> None:
        self.refuse_trained_head(shape)
        super().check(shape)


class LearningRates(Run):
    """Pairs of learning rates of Y and Z, side by side as starts are."""

    eta_Y: Positives  # noqa: N815
    eta_Z: Positives  # noqa: N815

    @override
    def parameters(self) -> list[str]:
        return []

    @override
    def columns(self, shape: Shape) -> int:
        return len(self.eta_Y)

    @override
    def check(self, shape: Shape) -> None:
        if len(self.eta_Z) != len(self.eta_Y):
            raise Misfit("eta_Z", f"as many learning rates as eta_Y has, {len(self.eta_Y)}, got {len(self.eta_Z)}")
        super().check(shape)


class SequenceTraining(LearningRates, Iterated):
    """The (Y, Z) transformer on sequence classes, with SGD of momentum 0.9 or Adam."""

    DATA: ClassVar[str] = "sequences"

    kind: Literal["sequence_training"]
    algorithm: Literal["sgd", "adam"] = "sgd"
    precision: Literal["float64", "float32"] = "float64"

    @override
    def check(self, shape: Shape) -> None:
        if self.steps > shape.batches:
            raise Misfit("steps", f"problem {self.problem} has batches for {shape.batches}")
        super().check(shape)


class Growth(LearningRates):
    """Closed forms of the theory at ``points`` equal intervals up to time ``until``.

    unit: of time: a training step, or for each pair of learning rates its own t0' or t0.
    C0: rho_0^4 / K (Scan and snap eq. 13).
    """

    DATA: ClassVar[str] = "vocabulary"

    kind: Literal["growth"]
    until: Count
    points: Count
    unit: Literal["step", "scanning_end", "snapping_start"] = "step"
    C0: Positive = 1.0

    @override
    def records(self, step: int) -> bool:
        return step <= self.until and step * self.points % self.until == 0

    @property
    @override
    def recorded(self) -> str:
        return f"0 to {self.until} in {self.points} intervals"


class DeepTraining(Run):
    """A network, side by side: for every point of the optimizer's grid one training for each of the seeds.

    seeds: of initial weights, dropout and order of the data. observe: what, beside losses and accuracies.
    """

    network: block(plugins.NETWORK)
    deep_optimizer: block(plugins.DEEP_OPTIMIZER)
    batch_size: Count
    seeds: Seeds = Field(default_factory=lambda: [0])
    observe: list[Literal["cls_attention", "sentences", "weights"]] = Field(default_factory=list)

    @override
    def parameters(self) -> list[str]:
        return []

    @override
    def columns(self, shape: Shape) -> int:
        return len(grid_points(self.deep_optimizer.model_dump())) * len(self.seeds)

    @override
    def check(self, shape: Shape) -> None:
        data = plugins.NETWORK.constant(self.network.kind, "DATA")
        if data != self.DATA:
            raise Misfit("network", f"{self.network.kind} is for {data}, this kind of run is for {self.DATA}")
        try:
            grid_points(self.deep_optimizer.model_dump())
        except ValueError as error:
            raise Misfit("deep_optimizer", str(error)) from None
        observable = plugins.NETWORK.constant(self.network.kind, "OBSERVABLE")
        for name in self.observe:
            if name not in observable:
                there = ", ".join(observable) or "nothing"
                raise Misfit("observe", f"of network {self.network.kind} there is {there} to observe, got {name}")
        for name, measure in self.measures:
            observed = measure and plugins.MEASURE.constant(name, "OBSERVED", default="nothing")
            if observed not in (None, "nothing", *self.observe):
                raise Misfit(f"measures.{name}", f"needs observe: [{observed}]")
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
    """A network on texts with classes."""

    DATA: ClassVar[str] = "passages"

    kind: Literal["text_classification"]


class MaskedLanguageModelling(Epochs):
    """A network that names masked pieces of texts. Its one training leaves weights to ``FineTuning``."""

    DATA: ClassVar[str] = "pieces"

    kind: Literal["masked_language_modelling"]

    @override
    def check(self, shape: Shape) -> None:
        if self.columns(shape) > 1:
            raise Misfit("seeds", "one training, of one seed and without a grid, leaves weights to others")
        super().check(shape)


class PublishedWeights(Run):
    """Weights of ``bert-base-uncased``, in the place of ``MaskedLanguageModelling``."""

    DATA: ClassVar[str] = "pieces"

    kind: Literal["published_weights"]

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


class FineTuning(Epochs):
    """A network on texts with classes. pretrained: the run on the same problem that its encoder's weights come from;
    without one they are random.
    """

    DATA: ClassVar[str] = "pieces"

    kind: Literal["fine_tuning"]
    pretrained: Name | None = None


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


KINDS = {
    "fine_tuning": FineTuning,
    "gradient_descent": GradientDescent,
    "growth": Growth,
    "image_training": ImageTraining,
    "language_modelling": LanguageModelling,
    "lp_regularization_path": LpRegularizationPath,
    "masked_language_modelling": MaskedLanguageModelling,
    "published_weights": PublishedWeights,
    "regularization_path": RegularizationPath,
    "sequence_training": SequenceTraining,
    "span_descent": SpanDescent,
    "text_classification": TextClassification,
}
AnyRun = any_of(KINDS, "kind")

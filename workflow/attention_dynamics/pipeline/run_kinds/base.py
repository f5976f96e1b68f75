"""What every kind of run may say."""

from functools import cached_property
from typing import Annotated, ClassVar, Literal

from pydantic import Field, create_model
from typing_extensions import override

from attention_dynamics.block_types import Strict
from attention_dynamics.pipeline import plugins
from attention_dynamics.pipeline.signatures import arguments_model
from attention_dynamics.pipeline.unions import block
from attention_dynamics.problems.problem import Array, Shape
from attention_dynamics.training import recorded_steps
from attention_dynamics.types import Count, Name, Probability

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
    **{name: (arguments_model(plugins.MEASURE, name, Strict) | None, None) for name in plugins.MEASURE.names()},
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

    def measured(self) -> list[tuple[str, Strict]]:
        """The measures that are asked for, by name, with their arguments."""
        return [(name, measure) for name, measure in self.measures if measure is not None]

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

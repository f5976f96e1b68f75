"""Base class of every kind of training: from a problem to a trajectory."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from attention_dynamics.problems.shape import Shape, TokenShape
from attention_dynamics.registry import Component
from attention_dynamics.types import Count, DataSource


class IncompatibleRunError(ValueError):
    """Error of a run whose training does not fit its problem. key: the wrong setting, as a path with dots."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(message)
        self.key = key


class NumericalFailure(FloatingPointError):
    """Error of a training whose numbers are no longer finite. partial_trajectory: the arrays recorded until then."""

    def __init__(self, message: str, partial_trajectory: Mapping[str, NDArray[Any]]) -> None:
        super().__init__(message)
        self.partial_trajectory = dict(partial_trajectory)


@dataclass(frozen=True)
class JobContext:
    """Arguments of ``Training.train`` besides the problem. Only kinds of training for networks use them.

    device: "cpu" or "cuda". precision: "float32", or "bfloat16" for automatic mixed precision on cuda.
    checkpoint: path, without suffix, of the files from which a killed training resumes; None for no checkpoints.
    code: fingerprint of the code; a checkpoint that other code wrote is ignored.
    pretrained: trajectory of the run whose weights the training starts from.
    source, mirror: values of the settings ``data`` and ``data_mirror``: where published data sets are read from.
    """

    device: str = "cpu"
    precision: str = "float32"
    checkpoint: Path | None = None
    code: str = ""
    pretrained: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    source: DataSource = "embedded"
    mirror: str | None = None


NO_CONTEXT = JobContext()


class Training(Component, packages=("attention", "regularization", "sequences", "theory", "deep.tasks")):
    """Base class of the kinds of training.

    data: ``KIND`` of the problems that a training takes. uses_device: its result may depend on ``JobContext.device``
    and ``JobContext.precision``. uses_source: it reads published data sets. provides_weights: another training
    can start from its weights.
    """

    data: ClassVar[str] = "tokens"
    uses_device: ClassVar[bool] = False
    uses_source: ClassVar[bool] = False
    provides_weights: ClassVar[bool] = False

    def train(self, problem: Any, context: JobContext = NO_CONTEXT) -> dict[str, NDArray[Any]]:
        """Return the trajectory: name -> array.

        "step" is the iteration of every record, (records,). In a regularization path it is the radius, and in a
        differential equation or a closed form the time. Parameters have the shape (records, problems, starts, ...).
        """
        raise NotImplementedError

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of the recorded parameters that can be compared with reference directions."""
        return ()

    def records_step(self, step: float) -> bool:
        """Return whether ``step`` is recorded. It is an iteration, a radius or a time, as in "step" of ``train``."""
        raise NotImplementedError(f"{type(self).__module__}: {type(self).__name__} defines no records_step")

    @property
    def record_schedule(self) -> str:
        """Description of the recorded steps, for messages."""
        raise NotImplementedError(f"{type(self).__module__}: {type(self).__name__} defines no record_schedule")

    @property
    def sizes(self) -> dict[str, Any]:
        """Settings that determine shapes of weights. They must be equal if a run starts from weights of another."""
        return {}

    def columns(self, shape: Any) -> int:
        """Return the number of trajectories for each problem, given the ``Shape`` of the problems."""
        return 1

    def check(self, shape: Any) -> None:
        """Raise IncompatibleRunError unless the training fits a problem of this shape."""


class Iterated(Training):
    """Training for a number of steps.

    record_every, record_digits: which iterates are recorded (``recorded_steps``); record_digits overrides record_every.
    """

    steps: Count
    record_every: Count = 1
    record_digits: Annotated[int, Field(ge=1, le=6)] | None = None

    @property
    def recorded_steps(self) -> list[int]:
        """The steps at which an iterate is recorded, in increasing order."""
        return recorded_steps(self.steps, self.record_every, self.record_digits)

    def records_step(self, step: float) -> bool:
        return is_recorded(step, self.steps, self.record_every, self.record_digits)

    @property
    def record_schedule(self) -> str:
        if self.record_digits:
            return f"up to {self.record_digits} significant digits from 0 to {self.steps}"
        return f"0 to {self.steps} by {self.record_every}"


def require_data(shape: Shape, data: str) -> None:
    """Raise IncompatibleRunError unless problems of this shape have the kind of data ``data``."""
    if shape.data != data:
        raise IncompatibleRunError("problem", f"the problem has {shape.data}, but this kind of run needs {data}")


def require_fixed_head(shape: TokenShape) -> None:
    """Raise IncompatibleRunError if the head (the linear classifier) of the problem is to be trained."""
    if not shape.fixed_head:
        raise IncompatibleRunError("problem", "the problem has a trainable head, but this kind of run trains p alone")


def recorded_steps(steps: int, record_every: int = 1, record_digits: int | None = None) -> list[int]:
    """Return the recorded steps of a training of ``steps`` steps, in increasing order, including 0 and ``steps``.

    record_every: record multiples of this number. record_digits: record numbers with at most this many significant
    digits instead, which suits a logarithmic axis: with one digit 0, 1, ..., 9, 10, 20, ..., 90, 100, 200, ...
    Raises ValueError for steps < 0, record_every < 1 and record_digits < 1.
    """
    if steps < 0 or record_every < 1 or (record_digits is not None and record_digits < 1):
        raise ValueError(
            "steps, record_every and record_digits: must be at least 0, 1 and 1, "
            f"got {steps}, {record_every} and {record_digits}"
        )
    if record_digits is None:
        return sorted({*range(0, steps + 1, record_every), steps})
    spacings = (10**k for k in range(len(str(steps))))
    decades = (range(0, min(spacing * 10**record_digits, steps) + 1, spacing) for spacing in spacings)
    return sorted({steps}.union(*decades))


def is_recorded(step: float, steps: int, record_every: int = 1, record_digits: int | None = None) -> bool:
    """Return whether ``recorded_steps(steps, record_every, record_digits)`` has ``step``, without making the list."""
    if not 0 <= step <= steps or step != int(step):
        return False
    if record_digits is None:
        return step == steps or step % record_every == 0
    return step == steps or len(str(int(step)).rstrip("0")) <= record_digits


def record_index(steps: Sequence[int] | NDArray[np.int64], step: int) -> int:
    """Return the index of the record of an iteration.

    steps: (records,). Raises ValueError if the iteration was not recorded.
    """
    found = np.flatnonzero(np.asarray(steps) == step)
    if not len(found):
        raise ValueError(f"step {step} was not recorded")
    return int(found[0])

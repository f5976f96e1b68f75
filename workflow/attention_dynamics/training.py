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
    """A training does not fit its problem. key: the setting that is wrong, with dots."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(message)
        self.key = key


class NumericalFailure(FloatingPointError):
    """Numbers are no longer finite. recorded: named arrays of what there is from before."""

    def __init__(self, message: str, recorded: Mapping[str, NDArray[Any]]) -> None:
        super().__init__(message)
        self.recorded = dict(recorded)


@dataclass(frozen=True)
class JobContext:
    """Context of a training: all that it is given besides its problem. It concerns networks only.

    device: "cpu" or "cuda". checkpoint: path, without ending, of the files from which a killed training resumes; None
    to keep none. code: fingerprint of the code; checkpoints of another one are passed over. pretrained: the trajectory
    of the run that the weights come from. source, mirror: where published files are read from, as in the settings
    ``data`` and ``data_mirror``.
    """

    device: str = "cpu"
    checkpoint: Path | None = None
    code: str = ""
    pretrained: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    source: DataSource = "embedded"
    mirror: str | None = None


NO_CONTEXT = JobContext()


class Training(Component, packages=("attention", "regularization", "sequences", "theory", "deep.trainings")):
    """A kind of training.

    data: the kind of data that it is for. uses_device: its result may depend on ``JobContext.device``.
    resumes: it keeps checkpoints. uses_source: it reads published files. provides_weights: other trainings can start
    from its weights.
    """

    data: ClassVar[str] = "tokens"
    uses_device: ClassVar[bool] = False
    resumes: ClassVar[bool] = False
    uses_source: ClassVar[bool] = False
    provides_weights: ClassVar[bool] = False

    def train(self, problem: Any, context: JobContext = NO_CONTEXT) -> dict[str, NDArray[Any]]:
        """Return the trajectory: "step" (records,), the iteration of every record (of a regularization path, its
        radius), and what was recorded of every trained parameter, (records, problems, starts, ...).
        """
        raise NotImplementedError

    @property
    def parameters(self) -> tuple[str, ...]:
        """Parameters that a trajectory records and reference directions are about."""
        return ()

    def records(self, step: int) -> bool:
        """Return whether an iteration (or the radius of a regularization path) is recorded."""
        raise NotImplementedError(f"{type(self).__module__}: {type(self).__name__} defines no records")

    @property
    def recorded(self) -> str:
        """Description of the recorded steps, for messages."""
        raise NotImplementedError(f"{type(self).__module__}: {type(self).__name__} defines no recorded")

    @property
    def sizes(self) -> dict[str, Any]:
        """Settings that the shapes of weights depend on, where weights are left to other trainings or taken over."""
        return {}

    def columns(self, shape: Any) -> int:
        """Return the number of trajectories per problem of this shape."""
        return 1

    def check(self, shape: Any) -> None:
        """Raise IncompatibleRunError unless the training fits a problem of this shape."""


class Iterated(Training):
    """So many steps.

    record_every, record_digits: which iterates are recorded (``recorded_steps``); the latter replaces the former.
    """

    steps: Count
    record_every: Count = 1
    record_digits: Annotated[int, Field(ge=1, le=6)] | None = None

    @property
    def recorded_steps(self) -> list[int]:
        """The iterates that are recorded, in increasing order."""
        return recorded_steps(self.steps, self.record_every, self.record_digits)

    def records(self, step: int) -> bool:
        return is_recorded(step, self.steps, self.record_every, self.record_digits)

    @property
    def recorded(self) -> str:
        if self.record_digits:
            return f"up to {self.record_digits} significant digits from 0 to {self.steps}"
        return f"0 to {self.steps} by {self.record_every}"


def need_data(shape: Shape, data: str) -> None:
    """Raise IncompatibleRunError unless a problem is made of a kind of data."""
    if shape.data != data:
        raise IncompatibleRunError("problem", f"the problem is made of {shape.data}, this kind of run is for {data}")


def need_fixed_head(shape: TokenShape) -> None:
    """Raise IncompatibleRunError where the problem's head is to be trained."""
    if not shape.fixed_head:
        raise IncompatibleRunError("problem", "the problem has a head to be trained, this kind of run trains p alone")


def recorded_steps(steps: int, record_every: int = 1, record_digits: int | None = None) -> list[int]:
    """Return the recorded iterates of a run of ``steps``, in increasing order, the first and the last included.

    record_every: its multiples. record_digits: instead, those with so many significant digits at most, which are about
    evenly spaced on a logarithmic axis: with one digit 0, 1, ..., 9, 10, 20, ..., 90, 100, 200, ...
    """
    if record_digits is None:
        return sorted({*range(0, steps + 1, record_every), steps})
    spacings = (10**k for k in range(len(str(steps))))
    decades = (range(0, min(spacing * 10**record_digits, steps) + 1, spacing) for spacing in spacings)
    return sorted({steps}.union(*decades))


def is_recorded(step: int, steps: int, record_every: int = 1, record_digits: int | None = None) -> bool:
    """Return whether ``recorded_steps`` contains an iterate, without listing them."""
    if not 0 <= step <= steps:
        return False
    if record_digits is None:
        return step == steps or step % record_every == 0
    return step == steps or len(str(step).rstrip("0")) <= record_digits


def record_of(steps: Sequence[int] | NDArray[np.int64], step: int) -> int:
    """Return the index of the record of an iteration.

    steps: (records,). Raises ValueError where the iteration was not recorded.
    """
    found = np.flatnonzero(np.asarray(steps) == step)
    if not len(found):
        raise ValueError(f"step {step} was not recorded")
    return int(found[0])

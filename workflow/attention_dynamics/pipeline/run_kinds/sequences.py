"""Runs on sequence classes, and closed forms of their theory."""

from typing import ClassVar, Literal

from typing_extensions import override

from attention_dynamics.pipeline.run_kinds.base import Iterated, Misfit, Run
from attention_dynamics.problems.problem import Shape
from attention_dynamics.types import (
    Count,
    Positive,
    Positives,
)


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

"""Base class of regularization paths, whose records are at radii instead of iterations."""

from typing import Annotated, Self

from pydantic import AfterValidator, model_validator

from attention_dynamics.attention.losses.loss import Loss
from attention_dynamics.problems.shape import TokenShape
from attention_dynamics.training import Training, require_data
from attention_dynamics.types import Counts


def _growing(radii: tuple[int, ...]) -> tuple[int, ...]:
    if tuple(sorted(set(radii))) != radii:
        raise ValueError(f"radii must increase, got {list(radii)}")
    return radii


class BoundedNorm(Training):
    """Base class of the kinds of training whose records are at radii instead of iterations.

    radii: in increasing order. Record 0 is at step 0, record k at the k-th radius.
    """

    loss: Loss
    radii: Annotated[Counts, AfterValidator(_growing)]

    @model_validator(mode="after")
    def _check_loss(self) -> Self:
        if not self.loss.has("log_excess"):
            raise ValueError(f"loss: {self.loss.kind} does not define log_excess, which regularization paths need")
        return self

    @property
    def parameters(self) -> tuple[str, ...]:
        return ("p",)

    def records_step(self, step: float) -> bool:
        return step in (0, *self.radii)

    @property
    def record_schedule(self) -> str:
        return ", ".join(map(str, (0, *self.radii)))

    def check(self, shape: TokenShape) -> None:
        require_data(shape, self.data)

"""Base class of regularization paths, which have radii in the place of iterations."""

from typing import Annotated, Self

from pydantic import AfterValidator, model_validator

from attention_dynamics.attention.losses.loss import Loss
from attention_dynamics.problems.shape import TokenShape
from attention_dynamics.training import Training, need_data
from attention_dynamics.types import Counts


def _growing(radii: tuple[int, ...]) -> tuple[int, ...]:
    if tuple(sorted(set(radii))) != radii:
        raise ValueError(f"radii grow, got {list(radii)}")
    return radii


class BoundedNorm(Training):
    """Minimizers of the risk under a bound on the norm. radii: the bounds, in increasing order."""

    loss: Loss
    radii: Annotated[Counts, AfterValidator(_growing)]

    @model_validator(mode="after")
    def _check_loss(self) -> Self:
        if not self.loss.has("log_excess"):
            raise ValueError(f"loss: {self.loss.kind} defines no log_excess, which paths are computed from")
        return self

    @property
    def parameters(self) -> tuple[str, ...]:
        return ("p",)

    def records(self, step: int) -> bool:
        return step in (0, *self.radii)

    @property
    def recorded(self) -> str:
        return ", ".join(map(str, (0, *self.radii)))

    def check(self, shape: TokenShape) -> None:
        need_data(shape, self.data)

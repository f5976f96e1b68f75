"""Base class of the optimizers of networks."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Self

from pydantic import model_validator

from attention_dynamics.registry import Component

if TYPE_CHECKING:
    import torch
    from torch import Tensor


class DeepOptimizer(Component, packages=("deep.optim",)):
    """An optimizer of networks. A setting of type ``Grid`` may hold several numbers: a grid of trainings."""

    @model_validator(mode="after")
    def _check_axes(self) -> Self:
        if len(axes := self._axes()) > 1:
            raise ValueError(f"only one setting can be a list (a grid), got lists for {' and '.join(axes)}")
        return self

    @property
    def grid(self) -> tuple[str, tuple[float, ...]] | None:
        """Name and values of the setting that holds several numbers; None without one."""
        return next(iter(self._axes().items()), None)

    @property
    def points(self) -> tuple[Self, ...]:
        """The optimizer of every point of the grid; the optimizer itself without a grid."""
        if self.grid is None:
            return (self,)
        name, values = self.grid
        return tuple(self.model_copy(update={name: value}) for value in values)

    def _axes(self) -> dict[str, tuple[float, ...]]:
        values = {name: getattr(self, name) for name in type(self).model_fields}
        return {name: value for name, value in values.items() if isinstance(value, tuple)}

    def build(self, parameters: "Iterable[Tensor]", steps_per_epoch: int) -> "torch.optim.Optimizer":
        """Return the optimizer of a network's parameters. Only this method imports torch.

        Raises ValueError for a grid: build each of its ``points``.
        """
        raise NotImplementedError


def single_value(setting: float | tuple[float, ...]) -> float:
    """Return the number that a setting of type ``Grid`` holds. Raises ValueError for several."""
    if isinstance(setting, tuple):
        raise ValueError(f"{list(setting)} is a grid; build its points one by one")
    return setting

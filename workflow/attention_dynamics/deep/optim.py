"""Optimizers of networks: their settings, from which ``build`` makes torch optimizers."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Self

from pydantic import model_validator

from attention_dynamics.registry import Component
from attention_dynamics.types import Exponent, Grid, Positive

if TYPE_CHECKING:
    import torch
    from torch import Tensor

# Makes this module importable as a package, so that plug-ins can be its submodules.
__path__: list[str] = []


class DeepOptimizer(Component, packages=("deep.optim",)):
    """An optimizer of networks. A setting of type ``Grid`` may hold several numbers: a grid of training runs."""

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

        steps_per_epoch: steps of a pass through the data. Raises ValueError for a grid: build each of its ``points``.
        """
        raise NotImplementedError


def single_value(setting: float | tuple[float, ...]) -> float:
    """Return the number that a setting of type ``Grid`` holds. Raises ValueError for several."""
    if isinstance(setting, tuple):
        raise ValueError(f"{list(setting)} is a grid; build its points one by one")
    return setting


class SGD(DeepOptimizer, kind="sgd"):
    """SGD without momentum. lr: learning rate. clip: norm to which longer gradients are shortened (None: never)."""

    lr: Grid
    clip: Positive | None = None

    def build(self, parameters: "Iterable[Tensor]", steps_per_epoch: int) -> "torch.optim.Optimizer":
        """See ``DeepOptimizer.build``."""
        from attention_dynamics.deep.torch_optimizers import ClippedSGD

        return ClippedSGD(parameters, lr=single_value(self.lr), clip=self.clip)


class Adam(DeepOptimizer, kind="adam"):
    """``torch.optim.Adam``. lr: learning rate."""

    lr: Grid

    def build(self, parameters: "Iterable[Tensor]", steps_per_epoch: int) -> "torch.optim.Optimizer":
        """See ``DeepOptimizer.build``."""
        import torch

        # foreach=True is torch's default on a GPU. On a CPU it halves the time of small networks, with identical bits.
        return torch.optim.Adam(parameters, lr=single_value(self.lr), foreach=True)


# The paper Fast rates calls this optimizer SNGD.
class NormalizedSGD(DeepOptimizer, kind="normalized_sgd"):
    """SGD with steps of fixed length: -lr g / |g|, with |g| over all parameters. lr: length of a step."""

    lr: Grid

    def build(self, parameters: "Iterable[Tensor]", steps_per_epoch: int) -> "torch.optim.Optimizer":
        """See ``DeepOptimizer.build``."""
        from attention_dynamics.deep.torch_optimizers import FixedLengthSGD

        return FixedLengthSGD(parameters, lr=single_value(self.lr))


class Polyak(DeepOptimizer, kind="polyak"):
    """SGD with the stochastic Polyak step size (SPS) of Loizou et al. (2021), smoothed as in their code.

    c: constant by which the step size is divided. largest: upper bound of the step size; None for no bound.
    """

    c: Grid = 0.5
    largest: Positive | None = 10.0

    def build(self, parameters: "Iterable[Tensor]", steps_per_epoch: int) -> "torch.optim.Optimizer":
        """See ``DeepOptimizer.build``."""
        from attention_dynamics.deep.torch_optimizers import StochasticPolyak

        return StochasticPolyak(
            parameters, steps_per_epoch=steps_per_epoch, c=single_value(self.c), largest=self.largest
        )


class MirrorDescent(DeepOptimizer, kind="mirror_descent"):
    """Mirror descent, not normalized. lr: learning rate. exponent: p of the potential |w|_p^p / p."""

    lr: Grid
    exponent: Exponent

    def build(self, parameters: "Iterable[Tensor]", steps_per_epoch: int) -> "torch.optim.Optimizer":
        """See ``DeepOptimizer.build``."""
        from attention_dynamics.deep.torch_optimizers import LpMirrorDescent

        return LpMirrorDescent(parameters, lr=single_value(self.lr), exponent=self.exponent)

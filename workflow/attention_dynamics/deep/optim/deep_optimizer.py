"""What every optimizer of networks has."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from attention_dynamics.registry import Component

if TYPE_CHECKING:
    import torch
    from torch import Tensor


class DeepOptimizer(Component, packages=("deep.optim",)):
    """An optimizer of networks. A setting of type ``Grid`` may hold several numbers: a grid of trainings."""

    def build(self, parameters: "Iterable[Tensor]", steps_per_epoch: int) -> "torch.optim.Optimizer":
        """Return the optimizer of a network's parameters. Imports torch, as nothing else of the class does.

        Raises ValueError for a grid: build each of its ``points``.
        """
        raise NotImplementedError

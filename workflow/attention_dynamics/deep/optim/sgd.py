"""Stochastic gradient descent with steps of constant size (Fast rates, SGD)."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from attention_dynamics.deep.optim.deep_optimizer import DeepOptimizer, single_value
from attention_dynamics.types import Grid, Positive

if TYPE_CHECKING:
    import torch
    from torch import Tensor


class SGD(DeepOptimizer, kind="sgd"):
    """``ClippedSGD``, without momentum. lr: learning rate. clip: length to which longer gradients are shortened."""

    lr: Grid
    clip: Positive | None = None

    def build(self, parameters: "Iterable[Tensor]", steps_per_epoch: int) -> "torch.optim.Optimizer":
        """See ``DeepOptimizer.build``."""
        from attention_dynamics.deep.optim.torch_optimizers import ClippedSGD

        return ClippedSGD(parameters, lr=single_value(self.lr), clip=self.clip)

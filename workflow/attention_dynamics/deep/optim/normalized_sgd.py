"""Stochastic gradient descent with steps of constant length (Fast rates, SNGD)."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from attention_dynamics.deep.optim.deep_optimizer import DeepOptimizer, single_value
from attention_dynamics.types import Grid

if TYPE_CHECKING:
    import torch
    from torch import Tensor


class NormalizedSGD(DeepOptimizer, kind="normalized_sgd"):
    """``FixedLengthSGD``. lr: length of a step."""

    lr: Grid

    def build(self, parameters: "Iterable[Tensor]", steps_per_epoch: int) -> "torch.optim.Optimizer":
        """See ``DeepOptimizer.build``."""
        from attention_dynamics.deep.optim.torch_optimizers import FixedLengthSGD

        return FixedLengthSGD(parameters, lr=single_value(self.lr))

"""Adam with the defaults of torch, except for the learning rate."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from attention_dynamics.deep.optim.deep_optimizer import DeepOptimizer, single_value
from attention_dynamics.types import Grid

if TYPE_CHECKING:
    import torch
    from torch import Tensor


class Adam(DeepOptimizer, kind="adam"):
    """``torch.optim.Adam``. lr: learning rate."""

    lr: Grid

    def build(self, parameters: "Iterable[Tensor]", steps_per_epoch: int) -> "torch.optim.Optimizer":
        """See ``DeepOptimizer.build``."""
        import torch

        # Torch's default on a GPU; on a CPU it takes half the time for small networks, to the same bits.
        return torch.optim.Adam(parameters, lr=single_value(self.lr), foreach=True)

"""l_p mirror descent on a network (Mirror descent)."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from attention_dynamics.deep.optim.deep_optimizer import DeepOptimizer, single_value
from attention_dynamics.types import Exponent, Grid

if TYPE_CHECKING:
    import torch
    from torch import Tensor


class MirrorDescent(DeepOptimizer, kind="mirror_descent"):
    """``LpMirrorDescent``. lr: learning rate. exponent: p of the potential |w|_p^p / p."""

    lr: Grid
    exponent: Exponent

    def build(self, parameters: "Iterable[Tensor]", steps_per_epoch: int) -> "torch.optim.Optimizer":
        """See ``DeepOptimizer.build``."""
        from attention_dynamics.deep.optim.torch_optimizers import LpMirrorDescent

        return LpMirrorDescent(parameters, lr=single_value(self.lr), exponent=self.exponent)

"""The stochastic Polyak step (Loizou et al. 2021; Fast rates, SPS)."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from attention_dynamics.deep.optim.deep_optimizer import DeepOptimizer, single_value
from attention_dynamics.types import Grid, Positive

if TYPE_CHECKING:
    import torch
    from torch import Tensor


class Polyak(DeepOptimizer, kind="polyak"):
    """``StochasticPolyak``, with the smoothing of the authors' code.

    c: divides the step size. largest: bound of the step size, None for none.
    """

    c: Grid = 0.5
    largest: Positive | None = 10.0

    def build(self, parameters: "Iterable[Tensor]", steps_per_epoch: int) -> "torch.optim.Optimizer":
        """See ``DeepOptimizer.build``."""
        from attention_dynamics.deep.optim.torch_optimizers import StochasticPolyak

        return StochasticPolyak(
            parameters, steps_per_epoch=steps_per_epoch, c=single_value(self.c), largest=self.largest
        )

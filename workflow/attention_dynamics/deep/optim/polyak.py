"""The stochastic Polyak step (Loizou et al. 2021; Fast rates, SPS)."""

from collections.abc import Iterable

from torch import Tensor

from attention_dynamics.optim.deep import StochasticPolyak
from attention_dynamics.types import Grid, Positive


def build(
    parameters: Iterable[Tensor], steps_per_epoch: int, *, c: Grid = 0.5, largest: Positive | None = 10.0
) -> StochasticPolyak:
    """optim.deep.StochasticPolyak, with the smoothing of the authors' code. largest: step size."""
    return StochasticPolyak(parameters, steps_per_epoch=steps_per_epoch, c=c, largest=largest)

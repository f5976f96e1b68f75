"""What an optimizer is given: gradients whose size may lie far below the smallest float, and the moment."""

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

import torch
from torch import Tensor

from attention_dynamics.types import PerStart


class ScaledGradient(NamedTuple):
    """The gradient ``exp(log_scale) * direction``.

    direction: (problems, starts, *shape of the parameter), entries of order one, but for the textbook's gradients.
    log_scale: (problems, starts), natural logarithm of the scale that was factored out.

    Late in training the true gradient is about exp(-margin), which underflows, while its direction, all
    that normalized methods use, is still well defined.
    """

    direction: Tensor
    log_scale: Tensor

    def value(self) -> Tensor:
        """The gradient itself; underflows to zero where its size is below the floating-point range."""
        return over_batch(torch.exp(self.log_scale), self.direction) * self.direction


class Moment(NamedTuple):
    """Where training stands.

    iteration: steps taken so far. gradients: of every trained parameter. log_gap: returns the logarithm of the risk
    above its infimum, (problems, starts).
    """

    iteration: int
    gradients: Mapping[str, ScaledGradient]
    log_gap: Callable[[], Tensor]


def over_starts(number: PerStart, parameter: Tensor) -> float | Tensor:
    """A number for all starts, or one for each of them with trailing axes added, to multiply a parameter with."""
    if not isinstance(number, list):
        return number
    return over_batch(parameter.new_tensor(number)[None], parameter)


def over_batch(batch: Tensor, parameter: Tensor) -> Tensor:
    """``batch`` (problems, starts) with trailing axes added, so that it broadcasts against ``parameter``."""
    return batch.reshape(batch.shape + (1,) * (parameter.dim() - batch.dim()))


def divisor(sizes: Tensor) -> Tensor:
    """Sizes, all >= 0, to divide by: 0 becomes the smallest positive number, so that 0 / 0 is 0; same shape."""
    numbers = torch.finfo(sizes.dtype)
    return sizes.clamp(min=numbers.smallest_normal * numbers.eps)


def norm(parameter: Tensor) -> Tensor:
    """Euclidean (Frobenius) norm of each batch entry: (problems, starts, ...) -> (problems, starts)."""
    entries = parameter.flatten(2)
    sizes = entries.square().sum(-1).sqrt()
    tiny = sizes < math.sqrt(torch.finfo(sizes.dtype).tiny)
    # Their squares have left the floating-point range, as those of the textbook's gradients do.
    if tiny.any():
        largest = divisor(entries.abs().amax(-1))
        sizes = torch.where(tiny, largest * (entries / largest[..., None]).square().sum(-1).sqrt(), sizes)
    return sizes

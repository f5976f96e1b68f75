"""Networks whose initial weights are a function of a seed."""

from collections.abc import Callable
from typing import TypeVar

import torch
from torch import nn

Network = TypeVar("Network", bound=nn.Module)


def seeded(seed: int, build: Callable[[], Network]) -> Network:
    """The network that ``build`` returns when torch's generator starts from the seed; the generator stays untouched."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return build()

"""Everything random in training, as a function of seed, epoch and step: nothing depends on what was drawn before."""

from collections.abc import Callable
from typing import TypeVar

import numpy as np
import torch
from torch import Tensor, nn

M = TypeVar("M", bound=nn.Module)


def build_seeded(seed: int, build: Callable[[], M]) -> M:
    """Return the network that ``build`` returns when torch's generator starts from the seed.

    The generator is left as it was.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return build()


def sample_order(seed: int, epoch: int, samples: int) -> Tensor:
    """Return the order in which an epoch goes through the samples: a permutation, (samples,)."""
    return torch.randperm(samples, generator=torch.Generator().manual_seed(_derive_seed(seed, epoch, 0)))


def seed_step(seed: int, epoch: int, step: int, device: str) -> None:
    """Set torch's generators, at least the CPU's and the device's, for what a step draws: dropout and augmentation."""
    number = _derive_seed(seed, epoch, 1 + step)
    if device == "cpu":
        # Seeding all generators stores stack traces for missing GPUs, which takes a tenth of a small network's step.
        torch.default_generator.manual_seed(number)
    else:
        torch.manual_seed(number)


def _derive_seed(*words: int) -> int:
    return int(np.random.SeedSequence(words).generate_state(1, np.uint64)[0])

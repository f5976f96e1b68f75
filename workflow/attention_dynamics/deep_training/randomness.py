"""All that is random in training, as a function of seed, epoch and step: nothing depends on what was drawn before."""

import numpy as np
import torch
from torch import Tensor


def order(seed: int, epoch: int, samples: int) -> Tensor:
    """The order in which an epoch goes through the samples: a permutation, (samples,)."""
    return torch.randperm(samples, generator=torch.Generator().manual_seed(_seed(seed, epoch, 0)))


def before_step(seed: int, epoch: int, step: int) -> None:
    """Set torch's generators, of all devices, for what a step of the epoch draws: dropout and augmentation."""
    torch.manual_seed(_seed(seed, epoch, 1 + step))


def _seed(*words: int) -> int:
    return int(np.random.SeedSequence(words).generate_state(1, np.uint64)[0])

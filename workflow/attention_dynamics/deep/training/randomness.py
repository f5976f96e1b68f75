"""All that is random in training, as a function of seed, epoch and step: nothing depends on what was drawn before."""

import numpy as np
import torch
from torch import Tensor


def order(seed: int, epoch: int, samples: int) -> Tensor:
    """The order in which an epoch goes through the samples: a permutation, (samples,)."""
    return torch.randperm(samples, generator=torch.Generator().manual_seed(_seed(seed, epoch, 0)))


def before_step(seed: int, epoch: int, step: int, device: str) -> None:
    """Set torch's generators, at least the CPU's and the device's, for what a step draws: dropout and augmentation."""
    number = _seed(seed, epoch, 1 + step)
    if device == "cpu":
        # Seeding all of them keeps stack traces for GPUs that are not there: a tenth of a small network's step.
        torch.default_generator.manual_seed(number)
    else:
        torch.manual_seed(number)


def _seed(*words: int) -> int:
    return int(np.random.SeedSequence(words).generate_state(1, np.uint64)[0])

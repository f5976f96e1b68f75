"""Schedule of a training run: epochs, batches, evaluations and checkpoints. Does not import torch."""

import math
from typing import Literal

from attention_dynamics.registry import Frozen
from attention_dynamics.types import Count, Index, Seed


class Schedule(Frozen):
    """Settings of a training run.

    batch_size: samples per step; the last batch of a pass through the data may be smaller. seed: determines the order
    of the data, dropout and augmentation, but not the initial weights. snapshots: epochs in increasing order, 0 before
    training, at which the network is evaluated on the test data and a callback observes it. checkpoint_every: number of
    steps between checkpoints. checkpoint_share: checkpoints are left out if they would take more than this share of the
    time.
    epoch_steps: number of steps of an epoch, by default those of a pass through the data. shuffled: every pass goes
    through the data in another random order.
    decay: "none", or "cosine" for ``learning_rate_factor``. timed: record the CPU time of every epoch.
    stop_accuracy: training ends after the first epoch with at least this share of right answers over its batches; then
    the network is evaluated and observed.
    precision: "bfloat16" is automatic mixed precision, on cuda only. compiled: run the network through torch.compile.
    """

    epochs: Count
    batch_size: Count
    seed: Seed
    snapshots: tuple[Index, ...] = ()
    checkpoint_every: Count = 50
    checkpoint_share: float = 0.05
    epoch_steps: Count | None = None
    shuffled: bool = True
    stop_accuracy: float | None = None
    decay: Literal["none", "cosine"] = "none"
    timed: bool = False
    precision: Literal["float32", "bfloat16"] = "float32"
    compiled: bool = False

    def should_stop(self, accuracy: float) -> bool:
        """Return whether training ends after an epoch with this share of right answers over its batches."""
        return self.stop_accuracy is not None and accuracy >= self.stop_accuracy

    def learning_rate_factor(self, epoch: int) -> float:
        """Return the factor of the learning rates in an epoch, counted from 0.

        With decay "cosine" it is that of torch's ``CosineAnnealingLR``, stepped once an epoch (Loshchilov, Hutter
        2017); else 1.
        """
        return (1 + math.cos(math.pi * epoch / self.epochs)) / 2 if self.decay == "cosine" else 1.0

    def steps_per_pass(self, samples: int) -> int:
        """Return the number of steps of a pass through this many samples."""
        return math.ceil(samples / self.batch_size)

    def steps_per_epoch(self, samples: int) -> int:
        """Return the number of steps of an epoch on this many samples."""
        return self.epoch_steps or self.steps_per_pass(samples)

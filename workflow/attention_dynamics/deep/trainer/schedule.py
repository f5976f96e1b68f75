"""Schedule of a training run: epochs, batches, evaluations and checkpoints. Does not import torch."""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Schedule:
    """Settings of a training run.

    batch_size: samples per step; the last batch of a pass through the data may be smaller. seed: determines the order
    of the data, dropout and augmentation, but not the initial weights. eval_splits: names of the splits evaluated
    before training and every evaluate_every epochs. snapshots: epochs, 0 before training, at which a callback observes
    the network. checkpoint_every: number of steps between checkpoints. checkpoint_share: checkpoints are left out if
    they would take more than this share of the time.
    epoch_steps: number of steps of an epoch, by default those of a pass through the data. shuffled: every pass goes
    through the data in another random order.
    decay: "none", or "cosine" for ``learning_rate_factor``. timed: record the CPU time of every epoch.
    stop_accuracy: training ends after the first epoch with at least this share of right answers over its batches; then
    the network is evaluated and observed.
    precision: "bfloat16" is automatic mixed precision, on cuda only. compiled: run the network through torch.compile.
    Raises ValueError, naming the setting, for a value out of range. The two shares are not checked.
    """

    epochs: int
    batch_size: int
    seed: int
    eval_splits: tuple[str, ...] = ("test",)
    evaluate_every: int = 1
    snapshots: tuple[int, ...] = ()
    checkpoint_every: int = 1000
    checkpoint_share: float = 1.0
    epoch_steps: int | None = None
    shuffled: bool = True
    stop_accuracy: float | None = None
    decay: str = "none"
    timed: bool = False
    precision: str = "float32"
    compiled: bool = False

    def __post_init__(self) -> None:
        for name in ("epochs", "batch_size", "evaluate_every", "checkpoint_every"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name}: need 1 or more, got {getattr(self, name)}")
        if self.epoch_steps is not None and self.epoch_steps < 1:
            raise ValueError(f"epoch_steps: need 1 or more, got {self.epoch_steps}")
        if self.seed < 0:
            raise ValueError(f"seed: need 0 or more, got {self.seed}")
        if self.decay not in ("none", "cosine"):
            raise ValueError(f"decay: need none or cosine, got {self.decay!r}")
        if self.precision not in ("float32", "bfloat16"):
            raise ValueError(f"precision: need float32 or bfloat16, got {self.precision!r}")
        if list(self.snapshots) != sorted({*self.snapshots} & {*range(self.epochs + 1)}):
            raise ValueError(f"snapshots: need increasing epochs from 0 to {self.epochs}, got {list(self.snapshots)}")

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

    def should_evaluate(self, epoch: int) -> bool:
        """Return whether the splits are evaluated after an epoch; after the last one they always are."""
        return epoch % self.evaluate_every == 0 or epoch == self.epochs

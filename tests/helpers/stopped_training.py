"""Trainings of networks that stop in the middle, as one that is killed does."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from attention_dynamics.deep.trainer.loop import TrainingLoop


class Stopped(Exception):
    """Thrown from within a training."""


@contextmanager
def stopped_before(step: int) -> Iterator[None]:
    """Run code in which a training must reach this step, counted from 0, and stops there."""
    take_step = TrainingLoop._step

    def stop(self, number, batch):
        if number == step:
            raise Stopped
        take_step(self, number, batch)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(TrainingLoop, "_step", stop)
        with pytest.raises(Stopped):
            yield

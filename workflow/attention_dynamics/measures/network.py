"""How a network does over the epochs."""

from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run

SERIES = ("train_loss", "train_accuracy", "test_loss", "test_accuracy", "epochs_trained")
DATA = ("images", "texts")
NEEDS = ("deep_optimizer",)


def measure(run: Run) -> dict[str, Array]:
    """As recorded, (records, 1, trainings): of the batches of an epoch while it trains, NaN at epoch 0, and of the test
    data after it. epochs_trained: how many there were, fewer than the record's where a training was to stop, NaN after
    it diverged.
    """
    return {name: run.trajectory[name] for name in SERIES}

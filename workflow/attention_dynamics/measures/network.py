"""Losses and accuracies of a network over the epochs."""

from attention_dynamics.measures.measure import Measure
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run


class NetworkPerformance(Measure, kind="network"):
    """Losses and accuracies as recorded, (records, 1, trainings).

    They are those of the batches of an epoch while it trains, NaN at epoch 0, and of the test data after it.
    epochs_trained: how many epochs there were, fewer than the record's where a training was to stop, NaN after it
    diverged.
    """

    series = ("train_loss", "train_accuracy", "test_loss", "test_accuracy", "epochs_trained")
    data = ("images", "texts")
    required_settings = ("deep_optimizer",)

    def measure(self, run: Run) -> dict[str, Array]:
        return {name: run.trajectory[name] for name in self.series}

"""Losses and accuracies of a network over the epochs."""

from attention_dynamics.measures.measure import Measure
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run


class NetworkPerformance(Measure, kind="network"):
    """Losses and accuracies as recorded, (records, 1, trained networks).

    train_loss, train_accuracy: means over the batches of an epoch during its training; NaN at epoch 0. test_loss,
    test_accuracy: on the test data after the epoch. epochs_trained: the number of epochs trained so far. It is less
    than the epoch of the record if training stopped early, and NaN after training diverged.
    """

    series = ("train_loss", "train_accuracy", "test_loss", "test_accuracy", "epochs_trained")
    data = ("images", "texts")
    required_settings = ("deep_optimizer",)

    def measure(self, run: Run) -> dict[str, Array]:
        return {name: run.trajectory[name] for name in self.series}

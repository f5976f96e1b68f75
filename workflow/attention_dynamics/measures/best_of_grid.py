"""The best of a grid of step sizes, and the effect of the choice (Fast rates Figs 1, 4, 6 and 7)."""

from typing import Any

import numpy as np

from attention_dynamics.measures.measure import Measure
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run

GRID_SERIES = ("train_loss", "test_loss", "test_accuracy")


class BestOfGrid(Measure, kind="best_of_grid"):
    """Results at the best point of a grid of settings, and at all points.

    The best point has the smallest mean over the seeds of the training loss at the last record.
    best_train_loss, best_test_loss, best_test_accuracy: the series at this point, (records, 1, seeds).
    best_value: the setting at this point, (records, 1, 1).
    other_seeds: if True, the point is chosen by the second half of the seeds, and the best_ series except best_value
        have the seeds of the first half; if False, the point is chosen by all seeds, and the series have all seeds.

    grid_train_loss: mean training loss over all seeds at every point, (records, 1, points). least_train_loss: the
    smallest of these means at each record, (records, 1, 1). worst_over_best: the largest mean divided by the smallest,
    (records, 1, 1); infinite if training has diverged at one of the points.
    """

    series = (
        "best_train_loss", "best_test_loss", "best_test_accuracy", "best_value", "grid_train_loss",
        "least_train_loss", "worst_over_best",
    )  # fmt: skip
    other_seeds: bool = False

    data = ("images", "texts")
    required_settings = ("deep_optimizer",)

    def measure(self, run: Run) -> dict[str, Array]:
        _, points = run.training.deep_optimizer.grid
        of = {name: run.trajectory[name].reshape(len(run.steps), len(points), -1) for name in GRID_SERIES}
        means = of["train_loss"].mean(-1)
        half = (len(run.training.seeds) + 1) // 2
        chosen_by, reported = (slice(half, None), slice(half)) if self.other_seeds else (slice(None), slice(None))
        best = int(of["train_loss"][-1][:, chosen_by].mean(-1).argmin())
        least, worst = means.min(1), means.max(1)
        return {
            **{f"best_{name}": values[:, best][:, None, reported] for name, values in of.items()},
            "best_value": np.full((len(run.steps), 1, 1), points[best]),
            "grid_train_loss": means[:, None],
            "least_train_loss": least[:, None, None],
            "worst_over_best": (worst / least)[:, None, None],
        }

    def check(self, training: Any) -> None:
        super().check(training)
        if not training.deep_optimizer.grid:
            raise ValueError("needs a run with a grid: a list in deep_optimizer")
        if self.other_seeds and len(training.seeds) < 2:
            raise ValueError("other_seeds: needs a run with at least two seeds")

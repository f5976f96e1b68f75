"""The best of a grid of step sizes, and the effect of the choice (Fast rates Figs 1, 4, 6 and 7)."""

from typing import Any

import numpy as np

from attention_dynamics.measures.measure import Measure
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run

GRID_SERIES = ("train_loss", "test_loss", "test_accuracy")


class BestOfGrid(Measure, kind="best_of_grid"):
    """Results of the best point of a grid, and of all points.

    best_...: the runs at the point of the grid with the smallest mean training loss at the end,
    (records, 1, seeds); best_value, (records, 1, 1), is that point. With ``other_seeds`` the mean is over the second
    half of the seeds, and best_... has the first half; else both are all seeds.

    grid_train_loss: mean over the seeds for every point, (records, 1, points). At each epoch, (records, 1, 1),
    least_train_loss is the smallest of them, and worst_over_best the largest divided by it, infinite where a training
    has diverged.
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

"""The best of a grid of step sizes, and the effect of the choice (Fast rates Figs 1, 4, 6 and 7)."""

from typing import Annotated, Any

import numpy as np
from pydantic.types import Strict

from attention_dynamics.measures.measure import Measure
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.types import Seed

GRID_SERIES = ("train_loss", "test_loss", "test_accuracy")


class BestOfGrid(Measure, kind="best_of_grid"):
    """Results of the best point of a grid, and of all points.

    best_...: of the trainings of one point of the grid, that with the smallest mean training loss at the end,
    (records, 1, seeds); best_value, (records, 1, 1), is that point. With seeds for ``selection``, the mean is over
    these, and best_... has the other seeds; else both are all seeds.

    grid_train_loss: mean over the seeds for every point, (records, 1, points). At each epoch, (records, 1, 1),
    least_train_loss is the smallest of them, and worst_over_best the largest divided by it, infinite where a training
    has diverged.
    """

    series = (
        "best_train_loss", "best_test_loss", "best_test_accuracy", "best_value", "grid_train_loss",
        "least_train_loss", "worst_over_best",
    )  # fmt: skip
    selection: Annotated[tuple[Seed, ...], Strict(False)] = ()

    data = ("images", "texts")
    required_settings = ("deep_optimizer",)

    def measure(self, run: Run) -> dict[str, Array]:
        _, points = run.training.deep_optimizer.grid
        of = {name: run.trajectory[name].reshape(len(run.steps), len(points), -1) for name in GRID_SERIES}
        means = of["train_loss"].mean(-1)
        for_selection = np.isin(run.training.seeds, self.selection)
        chosen_by = of["train_loss"][-1][:, for_selection if self.selection else slice(None)]
        best = int(chosen_by.mean(-1).argmin())
        least, worst = means.min(1), means.max(1)
        return {
            **{f"best_{name}": values[:, best][:, None, ~for_selection] for name, values in of.items()},
            "best_value": np.full((len(run.steps), 1, 1), points[best]),
            "grid_train_loss": means[:, None],
            "least_train_loss": least[:, None, None],
            "worst_over_best": (worst / least)[:, None, None],
        }

    def check(self, training: Any) -> None:
        super().check(training)
        if not training.deep_optimizer.grid:
            raise ValueError("needs a run with a grid: a list in deep_optimizer")
        if unknown := set(self.selection) - set(training.seeds):
            raise ValueError(f"selection: {sorted(unknown)} are no seeds of the run, which has {list(training.seeds)}")
        if self.selection and len(self.selection) == len(training.seeds):
            raise ValueError("selection: a seed of the run must be left to be compared")

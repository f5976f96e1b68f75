"""Fig 2: scanning and snapping, shown by computed attention before normalization at several stages of training."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from attention_dynamics.plots.style import BLUE, ORANGE, legend, panels
from attention_dynamics.run import Run
from attention_dynamics.types import Labels, RecordedSteps


def draw(run: Run, *, steps: RecordedSteps, stages: Labels) -> Figure:
    """Draw a row for each of the first two classes and a column for each step.

    Bars are P(l|n) exp(z_l) for the tokens l of class n, divided by their largest value at steps[0].
    stages: a name for each step.
    """
    data, Z = run.problem.classes, run.trajectory["Z"]
    figure, grid = panels(len(steps), 2, height=1.25, sharex=True, sharey=True)
    grid = np.reshape(grid, (2, len(steps)))
    for n, row in enumerate(grid):
        support = data.support[n]
        heights = data.probabilities[n, support] * np.exp(Z[:, 0, 0, data.query_index[n]][:, support])
        heights = heights / heights[run.at(steps[0])].max()
        colors = [ORANGE if token in data.common else BLUE for token in support]
        for axes, step in zip(row, steps, strict=True):
            axes.bar(np.arange(len(support)), heights[run.at(step)], color=colors, width=0.8)
            axes.set_xticks([])
        row[0].set_ylabel(f"class {n + 1}, relative\nattention " + rf"$\tilde{{c}}_{{l \mid {n + 1}}}$")
    for axes, step, stage in zip(grid[0], steps, stages, strict=True):
        axes.set_title(f"iteration {step}:\n{stage}")
    for axes in grid[1]:
        axes.set_xlabel("tokens of the class")
    handles = [Patch(color=color, label=label) for color, label in ((ORANGE, "common"), (BLUE, "distinct"))]
    legend(figure, handles)
    return figure

"""Recall of distinct tokens against the threshold on attention, by size of the data and learning rates."""

from typing import Literal

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from attention_dynamics.papers.scan_and_snap.learning_rates import pairs, size_label, style
from attention_dynamics.plots.style import panels
from attention_dynamics.run import Run

NAMES = {"eta_Z": r"\eta_Z", "ratio": r"\eta_Y/\eta_Z"}


def draw(runs: dict[str, Run], *, columns: Literal["eta_Z", "ratio"]) -> Figure:
    """Draw a row for each run and a column for each eta_Z or ratio eta_Y / eta_Z, with lines for the other.

    Values are means over the seeds.
    """
    keys = {name: sorted({key[k] for run in runs.values() for key in pairs(run)}) for k, name in enumerate(NAMES)}
    lines = "ratio" if columns == "eta_Z" else "eta_Z"
    figure, grid = panels(2.5, 1.9, len(keys[columns]), rows=len(runs))
    grid = np.reshape(grid, (len(runs), -1))
    for row, run in zip(grid, runs.values(), strict=True):
        table, values = pairs(run), run.series["recall"][-1].mean(0)
        x = run.series["recall_threshold"][-1, 0, 0]
        for axes, first in zip(row, keys[columns], strict=True):
            for k, second in enumerate(keys[lines]):
                pair = table[(first, second) if columns == "eta_Z" else (second, first)]
                axes.plot(x, values[pair], **style(k), ms=3, lw=1.1, label=f"${NAMES[lines]} = {second:g}$")
            axes.xaxis.set_major_locator(MaxNLocator(3))
            axes.set_ylim(0, 1.05)
        row[0].set_ylabel(f"{size_label(run)}: recall")
    for axes, first in zip(grid[0], keys[columns], strict=True):
        axes.set_title(f"${NAMES[columns]} = {first:g}$")
    for axes in grid[-1]:
        axes.set_xlabel("threshold")
    grid[0, -1].legend(fontsize=7, loc="upper right")
    return figure

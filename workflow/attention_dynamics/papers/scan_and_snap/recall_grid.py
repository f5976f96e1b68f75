"""Recall of distinct tokens against the threshold on attention, for several sizes of the data and learning rates."""

from typing import Literal

import numpy as np
from matplotlib.figure import Figure

from attention_dynamics.papers.scan_and_snap.rate_styles import pairs, size_label, styles
from attention_dynamics.plots.style import GRAY, RAMP, RATIO_RAMP, legend, panels
from attention_dynamics.run import Run

NAMES = {"eta_Z": r"\eta_Z", "ratio": r"\eta_Y/\eta_Z"}
RAMPS = {"eta_Z": RAMP, "ratio": RATIO_RAMP}


def draw(runs: dict[str, Run], *, columns: Literal["eta_Z", "ratio"]) -> Figure:
    """Draw recall against the threshold, a row of panels for each run.

    columns: "eta_Z" or "ratio" (eta_Y / eta_Z). Each value of this quantity has a column of panels, and each value of
    the other quantity a line. Lines are means over the seeds, and error bars their standard deviations. Thresholds are
    in units of 1 / M; a vertical line marks 1 / M.
    """
    keys = {name: sorted({key[k] for run in runs.values() for key in pairs(run)}) for k, name in enumerate(NAMES)}
    lines: Literal["eta_Z", "ratio"] = "ratio" if columns == "eta_Z" else "eta_Z"
    looks = styles(keys[lines], RAMPS[lines])
    figure, grid = panels(len(keys[columns]), len(runs), height=1.2, sharex=True, sharey=True)
    grid = np.reshape(grid, (len(runs), -1))
    for row, run in zip(grid, runs.values(), strict=True):
        table, values = pairs(run), run.series["recall"][-1]
        x = run.series["recall_threshold"][-1, 0, 0] * run.problem.classes.probabilities.shape[1]
        for axes, first in zip(row, keys[columns], strict=True):
            for second in keys[lines]:
                pair = table[(first, second) if columns == "eta_Z" else (second, first)]
                label = f"${NAMES[lines]} = {second:g}$"
                mean, deviation = values[:, pair].mean(0), values[:, pair].std(0, ddof=1) if len(values) > 1 else None
                axes.errorbar(x, mean, deviation, **looks[second], ms=2, lw=0.8, elinewidth=0.4, capsize=0, label=label)
            axes.axvline(1, color=GRAY, ls="--", lw=0.8, zorder=1, label="threshold $1/M$")
        row[0].set_ylabel(f"recall, {size_label(run)}\nlast/next tokens")
    grid[0, 0].set_ylim(0, 1.05)
    for axes, first in zip(grid[0], keys[columns], strict=True):
        axes.set_title(f"${NAMES[columns]} = {first:g}$")
    for axes in grid[-1]:
        axes.set_xlabel(r"threshold $\times\,M$")
    seeds = len(next(iter(runs.values())).series["recall"][-1])
    legend(figure, grid[0, 0], title=f"mean and standard deviation of {seeds} seeds")
    return figure

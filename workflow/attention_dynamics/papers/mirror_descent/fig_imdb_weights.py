"""Histograms of the weights of keys, queries and values."""

import numpy as np
from matplotlib.figure import Figure

from attention_dynamics.deep.training.weight_histogram import BIN_WIDTH
from attention_dynamics.papers.mirror_descent.optimizer_styles import style
from attention_dynamics.plots.style import FAINT, GRAY, RED, panels
from attention_dynamics.run import Run
from attention_dynamics.types import NonNegative

PROJECTIONS = {"k": "keys", "q": "queries", "v": "values"}


def draw(runs: dict[str, Run], *, above: NonNegative = 0.0) -> Figure:
    """Draw a row for every run and a column for each of keys, queries and values: shares at the end in bins of 0.005.

    The line is the start of the training; the dot the largest weight. above: only weights that are larger, a multiple
    of the width of a bin. The share of these is written in the panel, or else that of the first bin.
    """
    figure, grid = panels(2.7, 2.1, len(PROJECTIONS), len(runs))
    largest = max(run.series[f"weight_max_{w}"][-1].max() for run in runs.values() for w in PROJECTIONS)
    first = round(above / BIN_WIDTH)
    for row, run in zip(grid, runs.values(), strict=True):
        name, color, _ = style(run)
        for axes, (w, title) in zip(row, PROJECTIONS.items(), strict=True):
            counts = run.series[f"weight_counts_{w}"].sum((1, 2))
            edges = np.arange(counts.shape[1] + 1) * BIN_WIDTH
            shares = 100 * counts / counts[0].sum()
            axes.stairs(shares[-1, first:], edges[first:], fill=True, color=color, label="end")
            if not first:
                axes.stairs(shares[0], edges, color=GRAY, lw=0.9, label="start")
            most = run.series[f"weight_max_{w}"][-1].max()
            axes.plot(most, 0, "o", color=RED, ms=4.5, clip_on=False, label="largest")
            axes.set(title=f"{title}, {name}", xlim=(above, above + 1.04 * (largest - above)))
            share, what = (shares[-1, first:].sum(), f">{above:g}") if first else (shares[-1, 0], f"<{BIN_WIDTH}")
            axes.annotate(
                f"$|w| {what}$: {share:.2f} %", (0.97, 0.28), xycoords="axes fraction", ha="right", fontsize=8.5
            )
        row[0].set_ylabel("share in %")
    for axes in grid.ravel():
        axes.set_ylim(0, max(one.get_ylim()[1] for one in grid.ravel()))
        axes.axhline(0, color=FAINT, lw=0.5)
    for axes in grid[-1]:
        axes.set_xlabel("$|w|$")
    grid[0, -1].legend(loc="upper right")
    return figure

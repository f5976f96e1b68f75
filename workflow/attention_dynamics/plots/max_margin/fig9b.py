"""Figure 9b: distribution of the minimum score gap over the saturated trials, in every dimension."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from attention_dynamics.plots.max_margin.selection_panels import GAP_COLORS, dimensions, gap_histogram
from attention_dynamics.plots.style import panels
from attention_dynamics.run import Run, single_run
from attention_dynamics.types import Count, Interval, Positive


def draw(runs: dict[str, Run], *, width: Positive = 0.01, reach: Interval, columns: Count = 4) -> Figure:
    """A panel per dimension. width: of a bin; reach: the gaps shown, what lies beyond is in the outermost bins."""
    run = single_run(runs)
    groups = dimensions(run)
    rows = -(-len(groups) // columns)
    figure, grid = panels(2.3, 1.9, columns, rows)
    grid = np.reshape(grid, (rows, columns))
    for axes in grid.flat[len(groups) :]:
        axes.set_axis_off()
    for axes, d in zip(grid.flat, groups, strict=False):
        gap_histogram(axes, run, d, width, tuple(reach))
    for axes in grid[-1]:
        axes.set_xlabel(r"$\Gamma^{\min}$")
    for axes in grid[:, 0]:
        axes.set_ylabel("share of saturated")
    looks = [Patch(color=color, label=label) for label, color in GAP_COLORS.items()]
    figure.legend(handles=looks, loc="outside upper right", ncols=2, frameon=False)
    return figure

"""Fig 9: the tokens that training selects on random problems, and the minimum score gap, in every dimension."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from attention_dynamics.papers.max_margin.selection_panels import GAP_COLORS, dimensions, gap_histogram, share_bars
from attention_dynamics.plots.style import panels
from attention_dynamics.run import Run, single_run
from attention_dynamics.types import Count, Interval, Positive


def draw_shares(runs: dict[str, Run]) -> Figure:
    """Draw the shares of problems by what training ends in, against the dimension (Fig 9a)."""
    figure, axes = panels(6.4, 3.6)
    share_bars(axes, single_run(runs))
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=3, frameon=False)
    return figure


def draw_gaps(runs: dict[str, Run], *, width: Positive = 0.01, reach: Interval, columns: Count = 4) -> Figure:
    """Draw a histogram of the minimum score gap over the saturated problems for each dimension (Fig 9b).

    width: of a bin. reach: from where to where; what lies beyond is in the outermost bins. columns: of panels.
    """
    run = single_run(runs)
    groups = dimensions(run)
    rows = -(-len(groups) // columns)
    figure, grid = panels(2.3, 1.9, columns, rows)
    grid = np.reshape(grid, (rows, columns))
    for axes in grid.flat[len(groups) :]:
        axes.set_axis_off()
    for axes, d in zip(grid.flat, groups, strict=False):
        gap_histogram(axes, run, d, width, reach)
    for axes in grid[-1]:
        axes.set_xlabel(r"$\Gamma^{\min}$")
    for axes in grid[:, 0]:
        axes.set_ylabel("share of saturated")
    legend = [Patch(color=color, label=label) for label, color in GAP_COLORS.items()]
    figure.legend(handles=legend, loc="outside upper right", ncols=2, frameon=False)
    return figure

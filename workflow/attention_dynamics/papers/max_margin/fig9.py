"""Fig 9: the tokens that training selects on random problems, and the minimum score gap, in every dimension."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from attention_dynamics.papers.max_margin.selection_panels import GAP_COLORS, dimensions, gap_histogram, share_bars
from attention_dynamics.plots.style import legend, panels
from attention_dynamics.run import Run
from attention_dynamics.types import Count, Interval, Positive, RunName

# The share of negative gaps that the paper reports (Appendix E).
PUBLISHED_SHARE = "less than 1 %"


def draw_shares(runs: dict[str, Run], *, run: RunName) -> Figure:
    """Draw the share of problems with each outcome of training, by dimension (Fig 9a). run: the run to draw."""
    figure, axes = panels(height=2.0, width=4.0)
    share_bars(axes, runs[run])
    legend(figure)
    return figure


def draw_gaps(
    runs: dict[str, Run], *, run: RunName, width: Positive = 0.01, reach: Interval, columns: Count = 4
) -> Figure:
    """Draw a histogram of the minimum score gap over the saturated problems for each dimension (Fig 9b).

    run: the run to draw. width: width of a bin. reach: limits of the gaps to draw. The numbers of gaps below and above
    these limits are written into the panel. columns: number of columns of panels.
    """
    shown = runs[run]
    groups = dimensions(shown)
    rows = -(-len(groups) // columns)
    figure, grid = panels(columns, rows, height=1.3, sharex=True, sharey=True)
    grid = np.reshape(grid, (rows, columns))
    for axes in grid.flat[len(groups) :]:
        axes.set_axis_off()
    for axes, d in zip(grid.flat, groups, strict=False):
        gap_histogram(axes, shown, d, width, reach)
    # The y axis is logarithmic, because the peaks in high dimensions are far above all other bars.
    grid[0, 0].set(yscale="log", ylim=(5e-4, 1), yticks=[1e-3, 1e-2, 1e-1, 1])
    for axes in grid[-1]:
        axes.set_xlabel(r"gap $\Gamma^{\min}$")
    for axes in grid[:, 0]:
        axes.set_ylabel("share of\nproblems")
    paper = {"negative": f"negative (the paper: {PUBLISHED_SHARE} of the problems)"}
    legend(figure, [Patch(color=color, label=paper.get(label, label)) for label, color in GAP_COLORS.items()])
    return figure

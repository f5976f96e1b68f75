"""Fig 10: cumulative distribution of the minimum score gap, with the line at zero."""

from matplotlib.figure import Figure

from attention_dynamics.papers.max_margin.selection_panels import gap_distribution
from attention_dynamics.plots.style import panels
from attention_dynamics.run import Run, single_run
from attention_dynamics.types import Interval


def draw(runs: dict[str, Run], *, xlim: Interval) -> Figure:
    """Draw a curve for each dimension."""
    figure, axes = panels(5.4, 3.7)
    gap_distribution(axes, single_run(runs))
    axes.set_xlim(xlim)
    axes.legend(title="dimension $d$", loc="lower right", ncols=2)
    return figure

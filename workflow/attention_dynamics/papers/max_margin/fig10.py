"""Fig 10: cumulative distribution of the minimum score gap, with the line at zero."""

from matplotlib.figure import Figure

from attention_dynamics.papers.max_margin.selection_panels import gap_distribution
from attention_dynamics.plots.style import legend, panels
from attention_dynamics.run import Run
from attention_dynamics.types import Interval


def draw(run: Run, *, xlim: Interval) -> Figure:
    """Draw the distribution over the saturated problems of each dimension, with its interval.

    xlim: limits of the x axis.
    """
    figure, axes = panels(height=2.1, width=4.0)
    gap_distribution(axes, run, xlim)
    legend(figure, place="right", title="dimension $d$\n(saturated trials)")
    return figure

"""Figure 9a: what training ends in on random problems, against the dimension."""

from matplotlib.figure import Figure

from attention_dynamics.plots.max_margin.selection_panels import share_bars
from attention_dynamics.plots.style import panels
from attention_dynamics.run import Run, single_run


def draw(runs: dict[str, Run]) -> Figure:
    """One panel."""
    figure, axes = panels(6.4, 3.6)
    share_bars(axes, single_run(runs))
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=3, frameon=False)
    return figure

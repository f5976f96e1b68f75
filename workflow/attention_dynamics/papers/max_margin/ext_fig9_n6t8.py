"""Extension: Figs 9a and 10 side by side, for another size of problem."""

from matplotlib.figure import Figure

from attention_dynamics.papers.max_margin.selection_panels import gap_distribution, share_bars
from attention_dynamics.plots.style import legend, panels
from attention_dynamics.run import Run, single_run
from attention_dynamics.types import Interval


def draw(runs: dict[str, Run], *, xlim: Interval) -> Figure:
    """Draw what training ends in, and the distribution of the minimum score gap. xlim: of the gap."""
    figure, (bars, gaps) = panels(2, height=2.3)
    share_bars(bars, single_run(runs))
    gap_distribution(gaps, single_run(runs), xlim)
    gaps.legend(title="dimension $d$", loc="lower right", ncols=2)
    legend(figure, bars)
    return figure

"""What training ends in on random problems, against the dimension, a panel per run."""

from matplotlib.figure import Figure

from attention_dynamics.papers.max_margin.selection_panels import share_bars
from attention_dynamics.plots.style import panels
from attention_dynamics.run import Run
from attention_dynamics.types import Labels


def draw(runs: dict[str, Run], *, labels: Labels) -> Figure:
    """One panel per run. labels: their titles, in the order of the runs."""
    figure, axes = panels(4.4 * len(runs), 3.6, columns=len(runs))
    for panel, run, label in zip(axes, runs.values(), labels, strict=True):
        share_bars(panel, run)
        panel.set_title(label)
    axes[0].legend(loc="lower left", bbox_to_anchor=(0, 1.1), ncols=3, frameon=False)
    return figure

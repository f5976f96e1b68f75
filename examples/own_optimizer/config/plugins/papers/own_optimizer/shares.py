"""What training ends in on random problems, against the dimension, a panel per run."""

from matplotlib.figure import Figure

from attention_dynamics.papers.max_margin.selection_panels import share_bars
from attention_dynamics.plots.style import legend, panels
from attention_dynamics.run import Run
from attention_dynamics.types import Labels


def draw(runs: dict[str, Run], *, labels: Labels) -> Figure:
    """Draw one panel per run. labels: their titles, in the order of the runs."""
    figure, axes = panels(len(runs), height=2.0, sharey=True)
    for panel, run, label in zip(axes, runs.values(), labels, strict=True):
        share_bars(panel, run)
        panel.set_title(label)
    legend(figure, axes[0])
    return figure

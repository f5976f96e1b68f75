"""Extension: the direction of p in single, double and cancellation-free arithmetic."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from attention_dynamics.plots.panels import DirectionPanel, DirectionPanels
from attention_dynamics.plots.style import COLORS, GRAY, legend, panels
from attention_dynamics.run import Run
from attention_dynamics.types import RecordedStep

NAMES = {"stable": "cancellation-free", "float64": "float64, no guard", "float32": "float32, as published"}
DASHES = {"stable": "-", "float64": (0, (4, 2)), "float32": (0, (4, 1.5, 1, 1.5))}


def draw(runs: dict[str, Run], *, panel: DirectionPanels, marked: RecordedStep) -> Figure:
    """Draw one minus the cosine with a reference in three kinds of arithmetic, a panel per entry.

    marked: a step to mark on the axis. All panels have the range that the first one's ``ylim`` gives.
    """
    figure, row = panels(len(panel), height=2.1, sharey=True)
    row = np.atleast_1d(row)
    for axes, one in zip(row, panel, strict=True):
        _draw_panel(axes, runs, one)
        axes.axvline(marked, color=GRAY, lw=0.6, ls=":")
    row[0].set(ylabel=r"$1 - \cos$ with the SVM direction", ylim=panel[0].ylim)
    legend(figure)
    return figure


def _draw_panel(axes: Axes, runs: dict[str, Run], panel: DirectionPanel) -> None:
    for run in (runs[name] for name in panel.runs):
        precision = run.training.precision
        for k, start in enumerate(panel.trajectories):
            distance = 1 - run.series[f"correlation_{panel.reference}"][1:, 0, start]
            label = NAMES[precision] if k == 0 else None
            axes.semilogy(run.steps[1:], distance, color=COLORS[precision], ls=DASHES[precision], label=label)
    axes.set(title=panel.title, xlabel="iteration $t$", xlim=(0, max(runs[name].steps[-1] for name in panel.runs)))
    # None at the end, where the next panel begins.
    axes.xaxis.set_major_locator(MaxNLocator(4, prune="upper"))

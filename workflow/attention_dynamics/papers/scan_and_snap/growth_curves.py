"""Closed forms of the growth of attention over time, for several learning rates."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_dynamics.papers.scan_and_snap.learning_rates import style
from attention_dynamics.plots.panels import GrowthPanels
from attention_dynamics.plots.style import panels
from attention_dynamics.run import Run
from attention_dynamics.types import SeriesName


def draw(runs: dict[str, Run], *, panel: GrowthPanels, series: SeriesName, ylabel: str, dots: bool = False) -> Figure:
    """Draw a panel for each entry of ``panel``: the series of a run, a curve for each pair of learning rates.

    A dotted line is where t = t0. dots: mark the curves there, too.
    """
    figure, row = panels(5.2, 3.3, len(panel))
    row = np.atleast_1d(row)
    for axes, one in zip(row, panel, strict=True):
        run = runs[one.run]
        _draw_panel(axes, run, series, one.labels, dots)
        axes.set(title=one.title, xlabel="$t$", xlim=(0, run.steps[-1]))
        axes.set_ylim(bottom=0)
        axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=8)
    row[0].set_ylabel(ylabel)
    return figure


def _draw_panel(axes: Axes, run: Run, series: str, labels: str, dots: bool) -> None:
    for k, (eta_Y, eta_Z) in enumerate(zip(run.training.eta_Y, run.training.eta_Z, strict=True)):
        color, values, start = style(k)["color"], run.series[series][:, 0, k], run.series["transition_time"][0, 0, k]
        axes.plot(run.steps, values, color=color, label=labels.format(eta_Y=f"{eta_Y:g}", eta_Z=f"{eta_Z:g}"))
        if start <= run.steps[-1]:
            axes.axvline(start, color=color, ls=":", lw=1)
            if dots:
                axes.plot(start, np.interp(start, run.steps, values), "o", color=color, ms=5)

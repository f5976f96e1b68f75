"""Closed forms of the growth of attention over time, for several learning rates."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from attention_dynamics.papers.scan_and_snap.rate_styles import styles
from attention_dynamics.plots.panels import GrowthPanels
from attention_dynamics.plots.style import FULL_WIDTH, GRAY, HALF_WIDTH, label_ends, legend, panels
from attention_dynamics.run import Run
from attention_dynamics.types import SeriesName


def draw(runs: dict[str, Run], *, panel: GrowthPanels, series: SeriesName, ylabel: str, dots: bool = False) -> Figure:
    """Draw a panel for each entry of ``panel``: a series of its run, with a curve for each pair of learning rates.

    A dotted vertical line is at t0 of each pair, where snapping starts. dots: mark this time on the curves, too.
    """
    figure, row = panels(len(panel), height=2.1, width=FULL_WIDTH if len(panel) > 1 else HALF_WIDTH)
    row = np.atleast_1d(row)
    for axes, one in zip(row, panel, strict=True):
        run = runs[one.run]
        axes.set(title=one.title, xlabel="time $t$", xlim=(0, run.steps[-1]))
        ends = _draw_panel(axes, run, series, one.labels, dots)
        axes.set_ylim(bottom=0)
        label_ends(axes, ends)
    row[0].set_ylabel(ylabel)
    legend(figure, [Line2D([], [], color=GRAY, ls=":", lw=0.8, label="snapping starts, $t_0$")])
    return figure


def _draw_panel(axes: Axes, run: Run, series: str, labels: str, dots: bool) -> list[tuple[float, str, str]]:
    """Draw the curves of a series; return (y, label, color) for the end of each curve, for ``label_ends``."""
    varied = run.training.eta_Y if len(set(run.training.eta_Y)) > 1 else run.training.eta_Z
    looks, ends = styles(varied), []
    for k, (eta_Y, eta_Z) in enumerate(zip(run.training.eta_Y, run.training.eta_Z, strict=True)):
        color, values = looks[float(varied[k])]["color"], run.series[series][:, 0, k]
        axes.plot(run.steps, values, color=color)
        ends.append((float(values[-1]), labels.format(eta_Y=f"{eta_Y:g}", eta_Z=f"{eta_Z:g}"), color))
        start = run.series["transition_time"][0, 0, k]
        if start <= run.steps[-1]:
            axes.axvline(start, color=color, ls=":", lw=0.8)
            if dots:
                axes.plot(start, np.interp(start, run.steps, values), "o", color=color)
    return ends

"""Fig 4: normalized gradient descent against gradient descent with a constant step."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_dynamics.plots.panels import SeriesPanels
from attention_dynamics.plots.style import legend, optimizer_style, panels
from attention_dynamics.run import Run
from attention_dynamics.types import Interval, RecordedStep, SeriesName

# The paper draws the first 200 iterates.
LAST_DRAWN_STEP = RecordedStep(200)
NAMES = {"normalized_gd": "normalized GD", "gd": "GD, constant step"}
LINES = {"normalized_gd": "-", "gd": "--"}


def draw(
    runs: dict[str, Run], *, series: SeriesName, ylabel: str, ylim: Interval, last_step: RecordedStep = LAST_DRAWN_STEP
) -> Figure:
    """Draw a series of every run against the step, up to ``last_step``, with a line for each problem and start.

    ylabel, ylim: label and limits of the y axis.
    """
    figure, axes = panels(height=1.9)
    _draw_panel(axes, runs, series, ylabel, ylim, last_step)
    axes.legend(loc="lower right" if series.startswith("softmax") else "upper left")
    return figure


def draw_all(runs: dict[str, Run], *, panel: SeriesPanels, last_step: RecordedStep = LAST_DRAWN_STEP) -> Figure:
    """Draw several series side by side, a panel for each entry of ``panel``; see ``draw``."""
    figure, row = panels(len(panel), height=1.9)
    for axes, one in zip(np.atleast_1d(row), panel, strict=True):
        _draw_panel(axes, runs, one.series, one.ylabel, one.ylim, last_step)
    legend(figure)
    return figure


def _draw_panel(
    axes: Axes, runs: dict[str, Run], series: str, ylabel: str, ylim: Interval, last_step: RecordedStep
) -> None:
    for run in runs.values():
        optimizer, last = run.training.optimizer, run.at(last_step) + 1
        name, color = optimizer_style(optimizer.kind)
        label = NAMES.get(optimizer.kind, name)
        # Some optimizers have no constant step size.
        if hasattr(optimizer, "step_size"):
            label += rf", $\eta = {optimizer.step_size:g}$"
        values = run.series[series][:last].reshape(last, -1)
        lines = axes.plot(run.steps[:last], values, LINES.get(optimizer.kind, ":"), color=color)
        lines[0].set_label(label)
    axes.set(xlabel="iteration $t$", ylabel=ylabel, xlim=(0, last_step), ylim=ylim)
    axes.locator_params(axis="y", nbins=5)
    axes.locator_params(axis="x", nbins=5)

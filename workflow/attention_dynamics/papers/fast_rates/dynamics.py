"""Training dynamics under several optimizers: any measured series over the iterations, with fitted rates."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from attention_dynamics.papers.fast_rates.curves import (
    DASHES,
    Curve,
    axis_label,
    curves,
    dash_handles,
    lines_of,
    optimizer_handles,
    optimizer_name,
    plot_panel,
)
from attention_dynamics.plots.panels import CurvePanel, CurvePanels, Trapped
from attention_dynamics.plots.style import GRAY, legend, panels
from attention_dynamics.run import Run
from attention_dynamics.types import Count, Labels, RunNames, Symbol, Vector

BAND, BAND_OF_OTHERS = (
    "line and band: mean and range of {} data sets",
    "line and band: mean and range of {} data sets without those that are trapped",
)
# Height of a row of panels, in inches: in a figure of several rows, and in a figure of one row.
HEIGHTS = 1.65, 2.1
TRAPPED: dict[str, Any] = {"ls": DASHES[2], "lw": 1.1}


def draw(
    runs: dict[str, Run], *, panel: CurvePanels, columns: Count = 3, dashed: RunNames | None = None,
    models: Labels | None = None,
) -> Figure:  # fmt: skip
    """Draw a panel for each entry of ``panel``, in rows of ``columns`` panels, with a curve for each run.

    The legend is in the last row if this has a free cell, else above the panels. dashed: runs whose curves are dashed.
    models: two labels for the legend, the first for solid curves, the second for dashed curves.
    """
    rows = -(-len(panel) // columns)
    figure, grid = panels(columns, rows, height=HEIGHTS[rows == 1])
    grid = np.reshape(grid, (-1, columns))
    drawn = [curve for name, run in runs.items() for curve in curves(name, run)]
    drawn = [replace(curve, dashes=DASHES[1]) if curve.name in (dashed or ()) else curve for curve in drawn]
    for axes, one in zip(grid.flat, panel, strict=False):
        plot_panel(axes, drawn, one)
        axes.set_xlabel("iteration $t$")
    solid = {name: run for name, run in runs.items() if name not in (dashed or ())}
    handles = optimizer_handles(solid, any(one.fits for one in panel)) + dash_handles(models or ())
    title = BAND.format(len(drawn[0].problems))
    if len(panel) < grid.size:
        free = grid.flat[len(panel)]
        free.set_axis_off()
        free.set_label("")
        free.legend(handles=handles, title=title.replace(": ", ":\n"), loc="center left", alignment="left")
    else:
        legend(figure, handles, columns=min(len(handles), 3), title=title)
    return figure


def draw_grid(
    runs: dict[str, Run], *, panel: CurvePanels, vary: Symbol, where: dict[Symbol, Vector], trapped: Trapped
) -> Figure:
    """Draw a row of panels for each entry of ``panel`` and a column for each run.

    vary: a setting of the problems; each of its values has a curve. where: setting -> values; problems with other
    values are left out. trapped: criterion for data sets that are drawn one by one and left out of the means.
    """
    numbers = list(dict.fromkeys(next(iter(runs.values())).problem.settings[vary].tolist()))
    names = [f"${vary} = {value:g}$" for value in numbers]
    figure, grid = panels(len(runs), len(panel), height=1.35, sharex="col", sharey="row")
    stuck = set()
    for column, (name, run) in zip(np.reshape(grid, (len(panel), len(runs))).T, runs.items(), strict=True):
        drawn = curves(name, run, vary, where)
        stuck |= {label for label, curve in zip(names, drawn, strict=False) if _is_trapped(curve, trapped).any()}
        for axes, one in zip(column, panel, strict=True):
            plot_panel(axes, _others(drawn, trapped), one)
            _draw_trapped(axes, drawn, one, trapped)
            axes.set_ylabel(axis_label(one) if run is next(iter(runs.values())) else "")
        count = sum(int(_is_trapped(curve, trapped).sum()) for curve in drawn)
        column[0].set_title(f"{optimizer_name(run)}: {count} trapped")
        column[-1].set_xlabel("iteration $t$")
    handles = dash_handles(names) + [
        Line2D([], [], **TRAPPED, color=GRAY, label=f"{name}, {trapped.label}") for name in names if name in stuck
    ]
    seeds = max(len(curve.problems) for run in runs.values() for curve in curves("", run, vary, where))
    legend(figure, handles, title=BAND_OF_OTHERS.format(seeds))
    return figure


def _others(drawn: Sequence[Curve], trapped: Trapped) -> list[Curve]:
    """Return the curves without their trapped data sets. A curve whose data sets are all trapped is dropped."""
    free = [replace(curve, problems=curve.problems[~_is_trapped(curve, trapped)]) for curve in drawn]
    return [curve for curve in free if len(curve.problems)]


def _draw_trapped(axes: Axes, drawn: Sequence[Curve], panel: CurvePanel, trapped: Trapped) -> None:
    """Draw a line for every data set that is trapped, in the color of its curve."""
    for curve in drawn:
        stuck = replace(curve, problems=curve.problems[_is_trapped(curve, trapped)])
        axes.plot(*lines_of(stuck, panel), **TRAPPED, color=curve.color, zorder=3)


def _is_trapped(curve: Curve, trapped: Trapped) -> NDArray[np.bool_]:
    return curve.of(trapped.series)[-1] > trapped.above

"""Training dynamics under several optimizers: any measured series over the iterations, with fitted rates."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from attention_dynamics.papers.fast_rates.curves import (
    DASHES,
    Curve,
    curves,
    dash_handles,
    lines_of,
    optimizer_handles,
    optimizer_name,
    plot_panel,
)
from attention_dynamics.plots.panels import CurvePanel, CurvePanels, Trapped
from attention_dynamics.plots.style import ORANGE, legend, panels, ramp
from attention_dynamics.run import Run
from attention_dynamics.types import Count, Labels, NonNegatives, RunNames, Symbol, Vector

SYMBOLS = {"sigma": r"\sigma"}
BAND = "line and band: mean and range over the data sets"
EACH = "a line for each data set"


def draw(
    runs: dict[str, Run], *, panel: CurvePanels, columns: Count = 3, starts: Labels | None = None,
    values: NonNegatives | None = None, dashed: RunNames | None = None, models: Labels | None = None,
) -> Figure:  # fmt: skip
    """Draw a panel per entry of ``panel``, in rows of ``columns``, with a curve per run.

    starts: labels of the first starts of the runs, with a curve for each. values: the numbers in these labels, by which
    the curves of a single run are coloured. dashed: runs whose curves are dashed. models: labels of the solid curves
    and of these.
    """
    figure, grid = panels(columns, -(-len(panel) // columns), height=1.7, sharex=len({one.steps for one in panel}) == 1)
    grid = np.reshape(grid, (-1, columns))
    colors = ramp(values) if values and len(runs) == 1 else None
    drawn = [
        curve for name, run in runs.items() for curve in curves(name, run, starts=len(starts or [0]), colors=colors)
    ]
    drawn = [replace(curve, dashes=DASHES[1]) if curve.name in (dashed or ()) else curve for curve in drawn]
    for axes, one in zip(grid.flat, panel, strict=False):
        plot_panel(axes, drawn, one)
    _finish(grid, len(panel))
    solid = {name: run for name, run in runs.items() if name not in (dashed or ())}
    handles = optimizer_handles(solid, any(one.fits for one in panel)) if len(runs) > 1 else []
    handles += dash_handles(models or starts or (), colors)
    legend(figure, handles, columns=min(len(handles), 3 if len(runs) > 1 else 4), title=BAND)
    return figure


def draw_grid(
    runs: dict[str, Run], *, panel: CurvePanels, vary: Symbol | None = None, starts: Labels | None = None,
    values: NonNegatives | None = None, where: dict[Symbol, Vector] | None = None, trapped: Trapped | None = None,
) -> Figure:  # fmt: skip
    """Draw a row per entry of ``panel`` and a column per run; of a single run, a column per start.

    vary: a setting of the problems, with a curve for each of its values. starts: labels of the first starts of the
    runs, with a curve for each; values: the numbers in these labels. where: only problems with one of these values of a
    setting. trapped: draw a line for each data set, and in their own colour those that this describes.
    """
    single = len(runs) == 1
    facets = _facets(runs, vary, starts, values, where)
    figure, grid = panels(len(facets), len(panel), height=1.15, sharex="col", sharey="row", lettered=False)
    grid = np.reshape(grid, (len(panel), len(facets)))
    for column, (title, drawn) in zip(grid.T, facets.items(), strict=True):
        for axes, one in zip(column, panel, strict=True):
            if trapped:
                _draw_each(axes, drawn, one, trapped)
            else:
                plot_panel(axes, drawn, one)
            axes.set(ylabel=one.title if column is grid.T[0] or axes in grid[:, 0] else "", xscale=one.steps)
        column[0].set_title(title)
        column[-1].set_xlabel("iteration $t$")
    labels, colors = _varied(runs, vary, starts, values, where)
    handles = [] if single or not labels else dash_handles(labels, colors)
    if trapped:
        handles.append(Line2D([], [], color=ORANGE, label=trapped.label))
    legend(figure, handles, title=EACH if trapped else BAND)
    return figure


def _varied(
    runs: Mapping[str, Run], vary: str | None, starts: Sequence[str] | None, values: Sequence[float] | None,
    where: Mapping[str, Sequence[float]] | None,
) -> tuple[list[str], list[str]]:  # fmt: skip
    """Return label and colour of what varies within a run."""
    if vary:
        settings = next(iter(runs.values())).problem.settings
        numbers = list(dict.fromkeys(settings[vary].tolist()))
        return [f"${SYMBOLS.get(vary, vary)} = {value:g}$" for value in numbers], ramp(numbers)
    labels = list(starts or [])
    return labels, ramp(values if values else range(1, len(labels) + 1)) if labels else []


def _facets(
    runs: Mapping[str, Run], vary: str | None, starts: Sequence[str] | None, values: Sequence[float] | None,
    where: Mapping[str, Sequence[float]] | None,
) -> dict[str, list[Curve]]:  # fmt: skip
    """Return the curves of each column, by its title."""
    labels, colors = _varied(runs, vary, starts, values, where)
    of_run = {name: curves(name, run, vary, len(starts or [0]), where, colors or None) for name, run in runs.items()}
    if len(runs) == 1:
        (drawn,) = of_run.values()
        return {label: [replace(curve, dashes="-")] for label, curve in zip(labels, drawn, strict=True)}
    return {optimizer_name(run): of_run[name] for name, run in runs.items()}


def _draw_each(axes: Axes, drawn: Sequence[Curve], panel: CurvePanel, trapped: Trapped) -> None:
    """Draw a line for every trajectory, those that are trapped in their own colour and on top."""
    for curve in drawn:
        steps, lines = lines_of(curve, panel)
        stuck = curve.of(trapped.series)[-1] > trapped.above
        axes.plot(steps, lines[:, ~stuck], color=curve.color, ls=curve.dashes, lw=0.5)
        axes.plot(steps, lines[:, stuck], color=ORANGE, ls=curve.dashes, lw=0.9, zorder=3)
    axes.set_yscale("log" if panel.exp or panel.log or panel.negative else "linear")
    if panel.ylim:
        axes.set_ylim(*panel.ylim)


def _finish(grid: np.ndarray, count: int) -> None:
    """Remove the panels that are left over, and label the lowest of each column."""
    for axes in grid.flat[count:]:
        axes.remove()
    for k, axes in enumerate(grid.flat[:count]):
        if k + grid.shape[1] >= count:
            axes.set_xlabel("iteration $t$")
            axes.tick_params(labelbottom=True)

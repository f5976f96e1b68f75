"""Training dynamics under several optimizers: any measured series over the iterations, with fitted rates."""

from collections.abc import Mapping, Sequence
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
from attention_dynamics.plots.style import INK, legend, panels, ramp
from attention_dynamics.run import Run
from attention_dynamics.types import Count, Labels, NonNegatives, RunNames, Symbol, Vector

SYMBOLS = {"sigma": r"\sigma"}
BAND = "line and band: mean and range over the data sets"
BAND_OF_OTHERS = "line and band: mean and range over the data sets without a dotted line"
TRAPPED: dict[str, Any] = {"ls": DASHES[2], "lw": 1.1}


def draw(
    runs: dict[str, Run], *, panel: CurvePanels, columns: Count = 3, starts: Labels | None = None,
    values: NonNegatives | None = None, dashed: RunNames | None = None, models: Labels | None = None,
) -> Figure:  # fmt: skip
    """Draw a panel per entry of ``panel``, in rows of ``columns``, with a curve per run.

    starts: labels of the first starts of the runs, with a curve for each. values: the numbers in these labels, by which
    the curves of a single run are colored. dashed: runs whose curves are dashed. models: labels of the solid curves
    and of these.
    """
    shared = len({one.steps for one in panel}) == 1
    figure, grid = panels(columns, -(-len(panel) // columns), height=1.7, sharex=shared)
    grid = np.reshape(grid, (-1, columns))
    colors = ramp(values) if values and len(runs) == 1 else None
    drawn = [
        curve for name, run in runs.items() for curve in curves(name, run, starts=len(starts or [0]), colors=colors)
    ]
    drawn = [replace(curve, dashes=DASHES[1]) if curve.name in (dashed or ()) else curve for curve in drawn]
    for axes, one in zip(grid.flat, panel, strict=False):
        plot_panel(axes, drawn, one)
    _finish(grid, len(panel), shared)
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
    setting. trapped: draw a line for each data set that this describes, and leave them out of the mean.
    """
    facets = _facets(runs, vary, starts, values, where)
    labels, colors = _varied(runs, vary, starts, values, where)
    names = dict(zip(colors, labels, strict=True)) if len(runs) > 1 else {}
    figure, grid = panels(len(facets), len(panel), height=1.15, sharex="col", sharey="row", lettered=False)
    grid = np.reshape(grid, (len(panel), len(facets)))
    for column, (title, drawn) in zip(grid.T, facets.items(), strict=True):
        for axes, one in zip(column, panel, strict=True):
            plot_panel(axes, _others(drawn, trapped) if trapped else drawn, one)
            if trapped:
                _draw_trapped(axes, drawn, one, trapped, names)
            axes.set_ylabel(axis_label(one) if axes in grid[:, 0] else "")
        column[0].set_title(title)
        column[-1].set_xlabel("iteration $t$")
    handles = dash_handles(labels, colors) if names else []
    if trapped:
        stuck = {curve.color for drawn in facets.values() for curve in drawn if _is_trapped(curve, trapped).any()}
        prefixes = {color: f"{name}, " for color, name in names.items() if color in stuck} or {INK: ""}
        handles += [
            Line2D([], [], **TRAPPED, color=color, label=prefix + trapped.label) for color, prefix in prefixes.items()
        ]
    legend(figure, handles, title=BAND_OF_OTHERS if trapped else BAND)
    return figure


def _varied(
    runs: Mapping[str, Run], vary: str | None, starts: Sequence[str] | None, values: Sequence[float] | None,
    where: Mapping[str, Sequence[float]] | None,
) -> tuple[list[str], list[str]]:  # fmt: skip
    """Return label and color of what varies within a run."""
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
    if len(runs) == 1:
        # The columns tell the curves apart, which have the color of the optimizer.
        (drawn,) = (curves(name, run, vary, len(starts or [0]), where) for name, run in runs.items())
        return {label: [replace(curve, dashes="-")] for label, curve in zip(labels, drawn, strict=True)}
    return {
        optimizer_name(run): curves(name, run, vary, len(starts or [0]), where, colors or None)
        for name, run in runs.items()
    }


def _others(drawn: Sequence[Curve], trapped: Trapped) -> list[Curve]:
    """Return the curves without the data sets that are trapped, and without curves that have no other."""
    free = [replace(curve, problems=curve.problems[~_is_trapped(curve, trapped)]) for curve in drawn]
    return [curve for curve in free if len(curve.problems)]


def _draw_trapped(
    axes: Axes, drawn: Sequence[Curve], panel: CurvePanel, trapped: Trapped, names: Mapping[str, str]
) -> None:
    """Draw a line for every data set that is trapped, in the color of its curve if that has a name, else in ink."""
    for curve in drawn:
        stuck = replace(curve, problems=curve.problems[_is_trapped(curve, trapped)])
        axes.plot(*lines_of(stuck, panel), **TRAPPED, color=curve.color if curve.color in names else INK, zorder=3)


def _is_trapped(curve: Curve, trapped: Trapped) -> NDArray[np.bool_]:
    return curve.of(trapped.series)[-1] > trapped.above


def _finish(grid: np.ndarray, count: int, shared: bool) -> None:
    """Remove the panels that are left over, and label the others: with a shared axis, the lowest of each column."""
    for axes in grid.flat[count:]:
        axes.remove()
    for k, axes in enumerate(grid.flat[:count]):
        if not shared or k + grid.shape[1] >= count:
            axes.set_xlabel("iteration $t$")
            axes.tick_params(labelbottom=True)

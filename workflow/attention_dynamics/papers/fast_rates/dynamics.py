"""Training dynamics under several optimizers: any measured series over the iterations, with fitted rates."""

import numpy as np
from matplotlib.figure import Figure

from attention_dynamics.papers.fast_rates.curves import curves, dash_handles, draw_panel, optimizer_handles
from attention_dynamics.plots.panels import CurvePanels
from attention_dynamics.plots.style import panels
from attention_dynamics.run import Run
from attention_dynamics.types import Count, Labels, Symbol, Vector

SYMBOLS = {"sigma": r"\sigma"}


def draw(
    runs: dict[str, Run], *, panel: CurvePanels, columns: Count = 3, vary: Symbol | None = None,
    starts: Labels | None = None, where: dict[Symbol, Vector] | None = None, each: bool = False,
) -> Figure:  # fmt: skip
    """Draw a panel per entry of ``panel``, in rows of ``columns``, with a curve per run.

    vary: a setting of the problems, with a curve for each of its values. starts: labels of the first starts of the
    runs, with a curve for each. where: only problems with one of these values of a setting. each: a line for each data
    set in place of their mean and range.
    """
    figure, grid = panels(3.5, 2.75, columns, -(-len(panel) // columns))
    grid = np.atleast_1d(grid).ravel()
    alone = len(runs) == 1
    drawn = [curve for name, run in runs.items() for curve in curves(name, run, vary, len(starts or [0]), where, alone)]
    for axes, one in zip(grid, panel, strict=False):
        draw_panel(axes, drawn, one, each)
    for axes in grid[len(panel) :]:
        axes.remove()
    if not alone:
        grid[0].legend(handles=optimizer_handles(runs, any(one.fits for one in panel)))
    labels = starts
    if vary:
        values = dict.fromkeys(next(iter(runs.values())).problem.settings[vary])
        labels = tuple(f"${SYMBOLS.get(vary, vary)} = {value:g}$" for value in values)
    if labels:
        grid[int(len(panel) > 1)].legend(handles=dash_handles(labels, alone), loc="lower left")
    return figure

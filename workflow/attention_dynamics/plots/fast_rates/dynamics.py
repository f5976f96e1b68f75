"""Training dynamics under several optimizers: any measured series over the iterations, with fitted rates."""

import numpy as np
from matplotlib.figure import Figure

from attention_dynamics.block_types import CurvePanels
from attention_dynamics.plots.fast_rates.curves import curves, dash_handles, draw_panel, optimizer_handles
from attention_dynamics.plots.style import panels
from attention_dynamics.run import Run
from attention_dynamics.types import Count, Labels, Symbol, Vector

SYMBOLS = {"sigma": r"\sigma"}


def draw(
    runs: dict[str, Run], *, panel: CurvePanels, columns: Count = 3, vary: Symbol | None = None,
    starts: Labels | None = None, where: dict[Symbol, Vector] | None = None, each: bool = False,
) -> Figure:  # fmt: skip
    """A panel per entry of ``panel``, in rows of ``columns``; a curve per run, mean and range over the data sets, or a
    line for each of these.

    vary: a setting of the problems, with a curve for each of its values. starts: a curve for each start of the runs;
    its name. where: only problems with one of these values of a setting.
    """
    figure, grid = panels(3.5, 2.75, columns, -(-len(panel) // columns))
    grid = np.atleast_1d(grid).ravel()
    alone = len(runs) == 1
    shown = [curve for name, run in runs.items() for curve in curves(name, run, vary, len(starts or [0]), where, alone)]
    for axes, one in zip(grid, panel, strict=False):
        draw_panel(axes, shown, one, each)
    for axes in grid[len(panel) :]:
        axes.remove()
    if not alone:
        grid[0].legend(handles=optimizer_handles(runs, any(one["fits"] for one in panel)))
    if vary:
        values = dict.fromkeys(next(iter(runs.values())).problem.settings[vary])
        starts = [f"${SYMBOLS.get(vary, vary)} = {value:g}$" for value in values]
    if starts:
        grid[int(len(panel) > 1)].legend(handles=dash_handles(starts, alone), loc="lower left")
    return figure

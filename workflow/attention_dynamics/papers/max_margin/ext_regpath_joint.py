"""Extension: the joint regularization path of the head and the prompt, for several ratios of their radii."""

import numpy as np
from matplotlib.figure import Figure

from attention_dynamics.plots.panels import DirectionPanels
from attention_dynamics.plots.style import legend, panels, ramp
from attention_dynamics.run import Run

DASHES = ("-", (0, (5, 1.5)), (0, (3, 1.5, 1, 1.5)), (0, (1, 1.2)))
COLUMNS = 2


def draw(runs: dict[str, Run], *, panel: DirectionPanels) -> Figure:
    """Draw 1 - cosine of p, or of v, with a reference direction along joint regularization paths, against R.

    The paths have the bounds |p| <= R and |v| <= r. Each entry of ``panel`` has a panel with a line for each run. The
    color and dashes of a line show the ratio r / R.
    """
    rows = -(-len(panel) // COLUMNS)
    figure, grid = panels(COLUMNS, rows, height=1.6, sharex=True)
    ratios = sorted({run.training.head_ratio for run in runs.values()})
    colors = dict(zip(ratios, ramp(ratios), strict=True))
    for axes, one in zip(np.ravel(grid), panel, strict=True):
        for name in one.runs:
            run = runs[name]
            ratio = run.training.head_ratio
            distance = 1 - run.series[f"correlation_{one.reference}"][1:, 0, 0]
            dashes = DASHES[ratios.index(ratio) % len(DASHES)]
            axes.loglog(
                run.steps[1:],
                distance,
                ls=dashes,
                color=colors[ratio],
                marker="o",
                ms=2,
                label=f"$r = {_factor(ratio)}R$",
            )
        parameter = runs[one.runs[0]].references[one.reference]["parameter"]
        target = "relax" if one.reference == "relaxed" else "mm"
        ylabel = rf"$1 - \cos({parameter}_R,\, {parameter}^{{\mathrm{{{target}}}}})$"
        axes.set(title=one.title, ylabel=ylabel, ylim=one.ylim)
        axes.set_xlim(run.steps[1], run.steps[-1])
    for axes in np.reshape(grid, (rows, COLUMNS))[-1]:
        axes.set_xlabel(r"bound $R$ on $\|p\|$")
    legend(figure, np.ravel(grid)[0])
    return figure


def _factor(ratio: float) -> str:
    return "" if ratio == 1 else rf"{ratio:g}\,"

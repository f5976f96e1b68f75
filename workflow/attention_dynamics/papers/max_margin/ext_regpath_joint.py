"""Extension: the joint regularization path of the head and the prompt, for several ratios of their radii."""

import numpy as np
from matplotlib import colormaps
from matplotlib.figure import Figure

from attention_dynamics.plots.panels import DirectionPanels
from attention_dynamics.plots.style import panels
from attention_dynamics.run import Run

DASHES = ("-", (0, (5, 1.5)), (0, (3, 1.5, 1, 1.5)), (0, (1, 1.2)))
COLUMNS = 2


def draw(runs: dict[str, Run], *, panel: DirectionPanels) -> Figure:
    """Draw 1 - cosine of p (or v) with the reference against R: a panel per entry, a line per ratio r / R."""
    rows = -(-len(panel) // COLUMNS)
    figure, grid = panels(3.9, 2.9, COLUMNS, rows=rows)
    ratios = sorted({run.training.head_ratio for run in runs.values()})
    colors = dict(zip(ratios, colormaps["viridis"](np.linspace(0.05, 0.85, len(ratios))), strict=True))
    for axes, one in zip(np.ravel(grid), panel, strict=True):
        for name in one.runs:
            run = runs[name]
            ratio = run.training.head_ratio
            distance = 1 - run.series[f"correlation_{one.reference}"][1:, 0, 0]
            dashes = DASHES[ratios.index(ratio) % len(DASHES)]
            axes.loglog(
                run.steps[1:], distance, ls=dashes, color=colors[ratio], lw=1.8, label=f"$r = {_factor(ratio)}R$"
            )
        parameter = runs[one.runs[0]].references[one.reference]["parameter"]
        axes.set(title=one.title, xlabel="$R$", ylabel=rf"$1 - \cos$ of ${parameter}_R$", ylim=one.ylim)
        axes.set_xlim(run.steps[1], run.steps[-1])
    handles = np.ravel(grid)[0].get_legend_handles_labels()
    figure.legend(*handles, loc="outside right center", title="bounds")
    return figure


def _factor(ratio: float) -> str:
    return "" if ratio == 1 else rf"{ratio:g}\,"

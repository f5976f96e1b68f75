"""The path of two entries of W under l_p mirror descent, and the direction of the l_p-AttSVM."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_dynamics.papers.mirror_descent.exponent_styles import exponent
from attention_dynamics.plots.panels import PathPanel, PathPanels
from attention_dynamics.plots.planar import arrow, starts
from attention_dynamics.plots.style import BLUE, legend, panels
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.types import Cell, ReferenceName

# Width in print, in inches.
WIDTH = 3.3


def draw(runs: dict[str, Run], *, panel: PathPanels, reference: ReferenceName, first: Cell, second: Cell) -> Figure:
    """Draw the path of two entries of W and the direction of an SVM, a panel for each item of ``panel``.

    first, second: (row, column) of the entries of W on the x axis and on the y axis. reference: the SVM. Its
    two entries are drawn as a line from the origin, as long as the vector of the two entries of W at the end.
    """
    figure, column = panels(1, len(panel), height=1.25, width=WIDTH, sharex=True)
    for axes, one in zip(np.atleast_1d(column), panel, strict=True):
        run = runs[one.run]
        cells = [cell[0] * round(run.trajectory["W"].shape[-1] ** 0.5) + cell[1] for cell in (first, second)]
        path = run.trajectory["W"][:, 0, 0][:, cells]
        target = run.references[reference]["weights"][0][cells]
        _draw_path(axes, run, path, target, one)
        axes.set_ylabel(f"$W_{{{second[0]},{second[1]}}}$")
    axes.set_xlabel(f"$W_{{{first[0]},{first[1]}}}$, indices from 0")
    legend(figure, axes, columns=2)
    return figure


def _draw_path(axes: Axes, run: Run, path: Array, target: Array, panel: PathPanel) -> None:
    axes.plot(*path.T, color=BLUE, label=r"path of $\ell_p$-AttGD")
    end = target * np.linalg.norm(path[-1]) / np.linalg.norm(target)
    axes.plot([0, end[0]], [0, end[1]], color=BLUE, ls="--", label=r"direction of $\ell_p$-AttSVM")
    starts(axes, path[:1], "$W(0)$")
    axes.plot(*path[-1], "o", color=BLUE, ms=3.2, label="end")
    for step in panel.arrows:
        arrow(axes, path, run.at(step), BLUE, size=7)
    cosine = path[-1] @ target / np.linalg.norm(path[-1]) / np.linalg.norm(target)
    angle = rf"${np.degrees(np.arccos(cosine)):.1f}^\circ$ apart at the end"
    axes.set(title=f"$p = {exponent(run):g}$: {angle}", xlim=panel.xlim, ylim=panel.ylim, aspect="equal")

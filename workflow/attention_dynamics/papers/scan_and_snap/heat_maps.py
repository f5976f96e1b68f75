"""Composition of tokens over training, as heat maps."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.ticker import MaxNLocator

from attention_dynamics.plots.style import panels
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run, single_run
from attention_dynamics.types import Indices, RecordedSteps, TokenRange


def draw(runs: dict[str, Run], *, shown: RecordedSteps, classes: Indices, tokens: TokenRange) -> Figure:
    """Draw c_n by token and step: a column for each pair of learning rates, a row for each of the ``classes``.

    shown: the steps; the last one is the row "final". tokens: the first, and the one after the last.
    Raises ValueError for a class that there is not.
    """
    run = single_run(runs)
    if max(classes) >= (K := len(run.problem.classes.next)):
        raise ValueError(f"classes: the problem has {K}, counted from 0, got {list(classes)}")
    eta_Y, eta_Z = run.training.eta_Y, run.training.eta_Z
    figure, grid = panels(4.6 if len(eta_Y) < 3 else 3.4, 2.3, len(eta_Y), rows=len(classes))
    grid = np.reshape(grid, (len(classes), len(eta_Y)))
    shares = run.series["token_shares"][[run.at(step) for step in shown], 0][:, :, list(classes), slice(*tokens)]
    for row, number in enumerate(classes):
        for k, axes in enumerate(grid[row]):
            image = _draw_panel(axes, run, shares[:, k, row], shares.max(), shown, tokens)
            axes.set_title(f"class {number + 1}, $\\eta_Y = {eta_Y[k]:g}$, $\\eta_Z = {eta_Z[k]:g}$", pad=14)
    for axes in grid[-1]:
        axes.set_xlabel("token")
    for axes in grid[:, 0]:
        axes.set_ylabel("iteration")
    figure.colorbar(image, ax=grid, label="share $c_n$", pad=0.01, ticks=MaxNLocator(5))
    return figure


def _draw_panel(axes: Axes, run: Run, shares: Array, top: float, shown: RecordedSteps, tokens: TokenRange) -> AxesImage:
    image = axes.imshow(shares, cmap="viridis", aspect="auto", vmin=0, vmax=top, interpolation="none")
    first, last = tokens
    data = run.problem.classes
    ends = np.cumsum([len(data.common), *map(len, data.distinct)])
    for k, (begin, end) in enumerate(zip([0, *ends[:-1]], ends, strict=True)):
        if first <= begin and end <= last:
            name = "common" if k == 0 else f"distinct, class {k}"
            axes.text((begin + end) / 2 - first - 0.5, -0.7, name, ha="center", va="bottom", fontsize=7.5)
        if first < end < last:
            axes.axvline(end - first - 0.5, color="white", lw=1, ls="--")
    axes.set_xticks(np.arange(0, last - first, 5), [str(token) for token in range(first, last, 5)])
    axes.set_yticks(range(len(shown)), [*map(str, shown[:-1]), "final"])
    axes.grid(visible=False)
    return image

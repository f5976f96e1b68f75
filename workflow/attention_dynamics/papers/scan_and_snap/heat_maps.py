"""Composition of tokens over training, as heat maps."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import PowerNorm
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.ticker import MaxNLocator

from attention_dynamics.plots.style import GRAY, RAMP, SMALL_FONT_SIZE, panels
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.types import Indices, RecordedSteps, RunName, TokenRange


def draw(runs: dict[str, Run], *, shown: RunName, steps: RecordedSteps, classes: Indices, tokens: TokenRange) -> Figure:
    """Draw heat maps of c_n, the shares of attention, by token and step, for the first seed of the run ``shown``.

    There is a column of panels for each pair of learning rates, and a row for each of the ``classes``. Tokens that a
    class does not have are white.

    steps: steps to draw; the last one is labelled "final". tokens: the first token to draw, and one after the last.
    Raises ValueError for a class that does not exist.
    """
    run = runs[shown]
    if max(classes) >= (K := len(run.problem.classes.next)):
        raise ValueError(f"classes: must be below {K}, the number of classes of the problem, got {list(classes)}")
    eta_Y, eta_Z = run.training.eta_Y, run.training.eta_Z
    figure, grid = panels(len(eta_Y), len(classes), height=1.5, sharex=True, sharey=True)
    grid = np.reshape(grid, (len(classes), len(eta_Y)))
    shares = run.series["token_shares"][[run.at(step) for step in steps], 0][:, :, list(classes), slice(*tokens)]
    # The square root makes differences between small shares visible, as most shares are far below the largest one.
    scale = PowerNorm(0.5, 0, shares.max())
    for row, number in enumerate(classes):
        for k, axes in enumerate(grid[row]):
            image = _draw_panel(axes, run, shares[:, k, row], scale, steps, tokens)
            axes.set_title(rf"class {number + 1}, $\eta_Y = {eta_Y[k]:g}$, $\eta_Z = {eta_Z[k]:g}$", pad=11)
    for axes in grid[-1]:
        axes.set_xlabel("token")
    for axes in grid[:, 0]:
        axes.set_ylabel("iteration")
    figure.colorbar(image, ax=grid, label="share of attention $c_n$", pad=0.01, ticks=MaxNLocator(4))
    return figure


def _draw_panel(
    axes: Axes, run: Run, shares: Array, scale: PowerNorm, steps: RecordedSteps, tokens: TokenRange
) -> AxesImage:
    # An empty row separates the last row, because it is more steps away from the row before than other rows are.
    gap = np.full((1, shares.shape[1]), np.nan)
    rows = np.concatenate([shares[:-1], gap, shares[-1:]])
    visible = np.ma.masked_where(~(rows > 0), rows)
    image = axes.imshow(visible, cmap=RAMP, aspect="auto", norm=scale, interpolation="none")
    first, last = tokens
    data = run.problem.classes
    ends = np.cumsum([len(data.common), *map(len, data.distinct)])
    for k, (begin, end) in enumerate(zip([0, *ends[:-1]], ends, strict=True)):
        if first <= begin and end <= last:
            name = "common" if k == 0 else f"distinct {k}"
            axes.text((begin + end) / 2 - first - 0.5, -0.65, name, ha="center", va="bottom", fontsize=SMALL_FONT_SIZE)
        if first < end < last:
            axes.axvline(end - first - 0.5, color=GRAY, lw=0.7, ls="--")
    axes.set_xticks(np.arange(0, last - first, 5), [str(token) for token in range(first, last, 5)])
    axes.set_yticks([*range(len(steps) - 1), len(steps)], [*map(str, steps[:-1]), "final"])
    axes.grid(visible=False)
    return image

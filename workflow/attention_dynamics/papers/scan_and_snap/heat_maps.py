"""Composition of tokens over training, as heat maps."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import CenteredNorm, Normalize, SymLogNorm
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.ticker import FixedLocator, Locator, MaxNLocator

from attention_dynamics.plots.style import GRAY, SMALL_FONT_SIZE, panels
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run, single_run
from attention_dynamics.types import Indices, Positive, RecordedSteps, TokenRange

# From orange over white to violet.
DIVERGING = "PuOr"


def draw(
    runs: dict[str, Run], *, steps: RecordedSteps, classes: Indices, tokens: TokenRange,
    linear_until: Positive | None = None,
) -> Figure:  # fmt: skip
    """Draw c_n, relative to its first record, by token and step: a column for each pair of learning rates.

    There is a row of panels for each of the ``classes``. Tokens that a class does not have are left white.

    steps: the steps; the last one is the row "final". tokens: the first, and the one after the last. linear_until:
    the change, of a power of two, from which on colors are logarithmic; by default they are linear.
    Raises ValueError for a class that does not exist.
    """
    run = single_run(runs)
    if max(classes) >= (K := len(run.problem.classes.next)):
        raise ValueError(f"classes: must be below {K}, the number of classes of the problem, got {list(classes)}")
    eta_Y, eta_Z = run.training.eta_Y, run.training.eta_Z
    figure, grid = panels(len(eta_Y), len(classes), height=1.5, sharex=True, sharey=True)
    grid = np.reshape(grid, (len(classes), len(eta_Y)))
    shares = run.series["token_shares"][[run.at(step) for step in steps], 0][:, :, list(classes), slice(*tokens)]
    with np.errstate(divide="ignore", invalid="ignore"):
        change = np.log2(shares / shares[:1])
    largest = float(np.abs(change[np.isfinite(change)]).max()) or 1.0
    norm, ticks = color_scale(largest, linear_until)
    for row, number in enumerate(classes):
        for k, axes in enumerate(grid[row]):
            image = _draw_panel(axes, run, change[:, k, row], norm, steps, tokens)
            axes.set_title(rf"class {number + 1}, $\eta_Y = {eta_Y[k]:g}$, $\eta_Z = {eta_Z[k]:g}$", pad=11)
    for axes in grid[-1]:
        axes.set_xlabel("token")
    for axes in grid[:, 0]:
        axes.set_ylabel("iteration")
    bar = figure.colorbar(image, ax=grid, label=r"$\log_2\,c_n(t)\,/\,c_n(0)$", pad=0.01, ticks=ticks, format="{x:g}")
    bar.minorticks_off()
    return figure


def color_scale(largest: float, linear_until: float | None) -> tuple[Normalize, Locator]:
    """Return the norm of the colors, symmetric about zero, and the ticks of its bar."""
    if linear_until is None:
        return CenteredNorm(halfrange=largest), MaxNLocator(5)
    powers = linear_until * 4.0 ** np.arange(1 + np.log2(max(largest / linear_until, 1)) // 2)
    norm = SymLogNorm(linear_until, vmin=-largest, vmax=largest)
    return norm, FixedLocator([*-powers[::-1], 0, *powers])


def _draw_panel(
    axes: Axes, run: Run, change: Array, norm: Normalize, steps: RecordedSteps, tokens: TokenRange
) -> AxesImage:
    # A row without values sets the last one apart, to which the step is longer.
    gap = np.full((1, change.shape[1]), np.nan)
    rows = np.concatenate([change[:-1], gap, change[-1:]])
    image = axes.imshow(np.ma.masked_invalid(rows), cmap=DIVERGING, aspect="auto", norm=norm, interpolation="none")
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

"""Extension: the regularization path, the minimiser of the risk under |p| <= R, turns to the max-margin direction."""

import itertools

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_dynamics.plots import planar
from attention_dynamics.plots.panels import DirectionPanel, DirectionPanels
from attention_dynamics.plots.style import COLORS, GRAY, INPUT_COLORS, panels
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.types import Positive

# Where losses agree their lines lie on each other: each is narrower than the one below it.
LINES = {"logistic": ("-", 3.4), "exponential": ("-", 1.5), "correlation": (":", 1.7)}
MARGIN = 0.12


def draw(runs: dict[str, Run], *, panel: DirectionPanels, reach: Positive = 6) -> Figure:
    """Draw the paths in the plane up to |p| = reach, and 1 - cosine with the reference against R, a column each."""
    figure, grid = panels(3.1, 2.9, len(panel), rows=2)
    grid = grid.reshape(2, -1)
    for above, below, one in zip(*grid, panel, strict=True):
        paths = [runs[name] for name in one.runs]
        _draw_plane(above, paths, one, reach)
        _draw_convergence(below, paths, one)
    grid[0, 0].legend(loc="upper right", fontsize=7.5)
    grid[1, 0].legend(loc="lower left", title="loss")
    grid[1, 0].set_ylabel(r"$1 - \cos(\bar{p}(R),\, p^{mm\star})$")
    return figure


def _draw_plane(axes: Axes, runs: list[Run], panel: DirectionPanel, reach: float) -> None:
    keys, optimal = runs[0].problem.keys[0], runs[0].problem.optimal[0]
    corners = [keys.reshape(-1, keys.shape[-1])[:, :2]]
    for run in runs:
        path = run.trajectory["p"][run.steps <= reach, 0, 0, :2]
        color, (dashes, width) = COLORS[run.training.loss.kind], LINES[run.training.loss.kind]
        axes.plot(*path.T, dashes, color=color, lw=width, zorder=3)
        corners.append(path)
    _window(axes, np.concatenate(corners))
    planar.ray(axes, runs[0].references[panel.reference]["direction"][0], GRAY, r"$p^{mm\star}$")
    for i, color in zip(range(len(keys)), itertools.cycle(INPUT_COLORS), strict=False):
        for t, position in enumerate(keys[i]):
            best = t == optimal[i]
            planar.token(axes, position, color, "*" if best else "^")
    for marker, label in (("*", "optimal token"), ("^", "other token")):
        planar.token(axes, np.full(2, np.nan), GRAY, marker, label)
    axes.set(title=panel.title, xlabel="key coordinate 1", ylabel="key coordinate 2")


def _window(axes: Axes, points: Array) -> None:
    """Set square limits around points, with a margin."""
    low, high = points.min(0), points.max(0)
    middle, half = (low + high) / 2, (0.5 + MARGIN) * (high - low).max()
    axes.set(xlim=(middle[0] - half, middle[0] + half), ylim=(middle[1] - half, middle[1] + half), aspect="equal")


def _draw_convergence(axes: Axes, runs: list[Run], panel: DirectionPanel) -> None:
    for run in runs:
        loss = run.training.loss.kind
        dashes, width = LINES[loss]
        distance = 1 - run.series[f"correlation_{panel.reference}"][1:, 0, 0]
        axes.loglog(run.steps[1:], distance, dashes, color=COLORS[loss], lw=width, label=loss)
    axes.set(xlabel="$R$", ylim=panel.ylim, xlim=(runs[0].steps[1], runs[0].steps[-1]))

"""Extension: the regularization path, the minimizer of the risk under |p| <= R, turns to the max-margin direction."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_dynamics.plots import planar
from attention_dynamics.plots.panels import DirectionPanel, DirectionPanels
from attention_dynamics.plots.style import COLORS, FAINT, INK, VERMILION, legend, panels
from attention_dynamics.run import Run
from attention_dynamics.types import Positive

# Paths that differ by less than this share of R are drawn as one line, because they look the same in print.
SAME = 1e-3


def draw(runs: dict[str, Run], *, panel: DirectionPanels, reach: Positive = 6) -> Figure:
    """Draw the regularization paths in the plane up to R = reach; below them, 1 - cosine with the reference against R.

    Each entry of ``panel`` has a column with its runs, one for each loss. If these have the same path (``SAME``), it is
    drawn once.
    """
    figure, grid = panels(len(panel), 2, height=1.55)
    grid = grid.reshape(2, -1)
    for above, below, one in zip(*grid, panel, strict=True):
        paths = [runs[name] for name in one.runs]
        shown = paths[:1] if _agree(paths) else paths
        _draw_plane(above, shown, one, reach, "all losses" if len(shown) < len(paths) else None)
        _draw_convergence(below, shown, one, len(shown) < len(paths))
    grid[0, 0].set_ylabel("coordinate 2")
    grid[1, 0].set_ylabel("$1 - \\cos$ of $\\bar{p}(R)$\nand $p^{\\mathrm{mm}\\star}$")
    legend(figure, place="below", columns=4)
    return figure


def _agree(runs: list[Run]) -> bool:
    """Return whether p(R) / R of every run differs from that of the first one by less than SAME at every R."""
    first, *others = (run.trajectory["p"][1:, 0, 0] / run.steps[1:, None] for run in runs)
    return all(np.abs(other - first).max() < SAME for other in others)


def _draw_plane(axes: Axes, runs: list[Run], panel: DirectionPanel, reach: float, name: str | None) -> None:
    keys, optimal = runs[0].problem.keys[0], runs[0].problem.optimal[0]
    corners = [keys.reshape(-1, keys.shape[-1])[:, :2]]
    for run in runs:
        path = run.trajectory["p"][run.steps <= reach, 0, 0, :2]
        axes.plot(*path.T, color=INK if name else COLORS[run.training.loss.kind], zorder=3)
        corners.append(path)
    xlim, ylim = planar.square_window(np.concatenate(corners))
    axes.set(xlim=xlim, ylim=ylim, aspect="equal", title=panel.title, xlabel="coordinate 1")
    planar.ray(axes, runs[0].references[panel.reference]["direction"][0], VERMILION, planar.NAMES["gmm"])
    # Tokens are gray, because colors stand for losses.
    for i in range(len(keys)):
        for t, position in enumerate(keys[i]):
            marker, label = ("*", "optimal token of an input") if t == optimal[i] else ("^", "other token")
            planar.token(axes, position, FAINT, marker, label)


def _draw_convergence(axes: Axes, runs: list[Run], panel: DirectionPanel, together: bool) -> None:
    for run in runs:
        loss = run.training.loss.kind
        distance = 1 - run.series[f"correlation_{panel.reference}"][1:, 0, 0]
        color, label = (INK, "all three losses") if together else (COLORS[loss], f"{loss} loss")
        axes.loglog(run.steps[1:], distance, color=color, label=label)
    axes.set(xlabel="bound $R$", ylim=panel.ylim, xlim=(runs[0].steps[1], runs[0].steps[-1]))

"""Drawing in the plane of the first two coordinates: trajectories, rays, tokens."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from attention_dynamics.plots.style import COLORS, GRAY, INK
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.types import Interval

NAMES = {"gmm": r"globally optimal, $p^{mm\star}$", "lmm": r"locally optimal, $p^{mm}$"}
NOT_LOCALLY_OPTIMAL = r"max-margin, but not locally optimal"
MARKER_SIZE = {"*": 130, "o": 45, "s": 45, "^": 42, "v": 42}


def trajectory(
    axes: Axes, path: Array, color: str = GRAY, arrow_every: int = 10, width: float = 0.9, **line: object
) -> None:
    """A path (records, >= 2) as a line with an arrowhead every few records."""
    x, y = path[:, 0], path[:, 1]
    axes.plot(x, y, color=color, lw=width, zorder=2, **line)
    for k in range(arrow_every, len(x), arrow_every):
        arrow(axes, path, k, color, alpha=line.get("alpha"))


def arrow(axes: Axes, path: Array, record: int, color: str, alpha: float | None = None, size: float = 7) -> None:
    """An arrowhead where a path (records, >= 2) arrives at a record, in the direction it comes from."""
    axes.annotate(
        "", path[record, :2], path[record - 1, :2], zorder=3,
        arrowprops={"arrowstyle": "-|>", "color": color, "lw": 0, "mutation_scale": size, "shrinkA": 0, "shrinkB": 0,
                    "alpha": alpha},
    )  # fmt: skip


def ray(axes: Axes, direction: NDArray, color: str, label: str | None = None, dashes: str = "--") -> None:
    """The half-line from the origin along a direction (>= 2 coordinates), to the edge of the axes and beyond."""
    reach = 2 * np.abs([*axes.get_xlim(), *axes.get_ylim()]).max()
    end = reach * np.asarray(direction)[:2]
    axes.plot([0, end[0]], [0, end[1]], dashes, color=color, lw=1.5, zorder=1.5, label=label)


def reference_rays(axes: Axes, run: Run) -> None:
    """All reference directions of the run's (first) problem, in the colours of their roles."""
    for name, reference in run.references.items():
        label = NAMES.get(name, name) if reference["locally_optimal"][0] else NOT_LOCALLY_OPTIMAL
        ray(axes, reference["direction"][0], COLORS.get(name, INK), label)


def token(axes: Axes, position: NDArray, color: str, marker: str, label: str | None = None) -> None:
    """One token at its key's position."""
    axes.scatter(
        *position[:2], s=MARKER_SIZE[marker], color=color, marker=marker, zorder=4, label=label, linewidths=0.6,
        edgecolors=INK,
    )  # fmt: skip


def basins(axes: Axes, starts: Array, limit: Array, styles: dict[int, tuple[str, str]]) -> None:
    """Draw a cell per start of a grid, coloured by its limit.

    starts: (k, >= 2), row by row from the lowest. limit: (k,) numbers. styles: number -> colour, label.
    """
    x, y = np.unique(starts[:, 0]), np.unique(starts[:, 1])
    half = (x[1] - x[0]) / 2
    shades = np.array([to_rgba(styles[int(number)][0], 0.3) for number in limit]).reshape(len(y), len(x), 4)
    extent = (x[0] - half, x[-1] + half, y[0] - half, y[-1] + half)
    axes.imshow(shades, origin="lower", extent=extent, interpolation="nearest", zorder=0)
    for number in np.unique(limit):
        color, label = styles[int(number)]
        axes.add_patch(Rectangle((np.nan, np.nan), 0, 0, color=color, alpha=0.3, linewidth=0, label=label))


def plane(axes: Axes, xlim: Interval, ylim: Interval, name: str = "key coordinate") -> None:
    """Limits and axis labels of the plane; one unit is equally long on both axes."""
    axes.set(xlim=xlim, ylim=ylim, aspect="equal", xlabel=f"{name} 1", ylabel=f"{name} 2")

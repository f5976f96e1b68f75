"""Drawing in the plane of the first two coordinates: trajectories, rays, tokens."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.patheffects import withStroke

from attention_dynamics.plots.panels import Zoom
from attention_dynamics.plots.style import (
    COLORS,
    FAINT,
    FULL_WIDTH,
    GRAY,
    HALF_WIDTH,
    INK,
    SMALL_FONT_SIZE,
    START,
    panels,
)
from attention_dynamics.problems.arrays import takes_arrays
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.types import Interval

NAMES = {"gmm": r"globally optimal, $p^{\mathrm{mm}\star}$", "lmm": r"locally optimal, $p^{\mathrm{mm}}$"}
SYMBOLS = {"gmm": r"$p^{\mathrm{mm}\star}$", "lmm": r"$p^{\mathrm{mm}}$"}
NOT_LOCALLY_OPTIMAL = "max-margin, not locally optimal"
# Marker of a token -> its size as in ``Axes.scatter``, in square points.
MARKER_SIZE = {"*": 40, "o": 14, "s": 14, "^": 14, "v": 14, "<": 14, ">": 14, "p": 16, "D": 16}
# Relative size of tokens in a plane that has an inset with an enlarged part (``with_enlarged``).
SMALL_TOKEN = 0.6
# Width and height, in inches, that the axis labels of a panel need.
LABEL_WIDTH, LABEL_HEIGHT = 0.38, 0.36


def plane_panels(
    columns: int, xlim: Interval, ylim: Interval, *, rows: int = 1, width: float | None = None, extra: float = 0,
    name: str = "key coordinate", **options: Any,
) -> tuple[Figure, Any]:  # fmt: skip
    """Return a figure and its axes, which are planes with these limits and fill the width of the figure.

    width: width of the figure in inches. extra: additional height for legends in inches. name: name of the coordinates
    in the axis labels. options: further arguments of ``style.panels``.
    """
    width = width or (HALF_WIDTH if columns * rows == 1 else FULL_WIDTH)
    tall = (width / columns - LABEL_WIDTH) * (ylim[1] - ylim[0]) / (xlim[1] - xlim[0])
    figure, axes = panels(columns, rows, width=width, height=tall + LABEL_HEIGHT + extra / rows, **options)
    for one in np.ravel(axes):
        plane(one, xlim, ylim, name)
    return figure, axes


def plane(axes: Axes, xlim: Interval, ylim: Interval, name: str = "key coordinate") -> None:
    """Set the limits, the axis labels and an equal aspect ratio. name: name of the coordinates in the labels."""
    axes.set(xlim=xlim, ylim=ylim, aspect="equal", xlabel=f"{name} 1", ylabel=f"{name} 2")


def with_enlarged(axes: Axes, zoom: Zoom | None) -> list[tuple[Axes, float]]:
    """Return pairs (axes, relative size of tokens): the plane, and a new inset that shows the part ``zoom`` enlarged.

    Frames mark the part and the inset. If ``zoom`` is None, only the plane is returned.
    """
    if zoom is None:
        return [(axes, 1.0)]
    (x0, x1), (y0, y1) = zoom.xlim, zoom.ylim
    frame = {"facecolor": "none", "edgecolor": FAINT, "linewidth": 0.6}
    axes.add_patch(Rectangle((x0, y0), x1 - x0, y1 - y0, **frame, zorder=1, label="enlarged part"))
    bounds = (*zoom.corner, zoom.factor * (x1 - x0), zoom.factor * (y1 - y0))
    inset = axes.inset_axes(bounds, transform=axes.transData, zorder=6)
    inset.set(xlim=zoom.xlim, ylim=zoom.ylim, xticks=[], yticks=[])
    inset.spines[:].set(visible=True, color=FAINT, linewidth=0.6)
    return [(axes, SMALL_TOKEN), (inset, zoom.marker)]


@takes_arrays()
def trajectory(
    axes: Axes, path: Array, color: str = GRAY, arrow_every: int = 10, width: float = 0.7, **line: object
) -> None:
    """Draw a path (records, >= 2) as a line with an arrowhead at every ``arrow_every``-th record."""
    x, y = path[:, 0], path[:, 1]
    axes.plot(x, y, color=color, lw=width, zorder=2, **line)
    for k in range(arrow_every, len(x), arrow_every):
        arrow(axes, path, k, color, alpha=line.get("alpha"))


@takes_arrays()
def starts(axes: Axes, points: Array, label: str | None = "$p(0)$", **marker: Any) -> None:
    """Draw the starts of k paths, points (k, >= 2), as hollow circles."""
    axes.plot(points[:, 0], points[:, 1], label=label, **{**START, **marker})


@takes_arrays()
def arrow(axes: Axes, path: Array, record: int, color: str, alpha: float | None = None, size: float = 4.5) -> None:
    """Draw an arrowhead at a record of a path (records, >= 2), along the segment from the record before."""
    axes.annotate(
        "", path[record, :2], path[record - 1, :2], zorder=3,
        arrowprops={"arrowstyle": "-|>", "color": color, "lw": 0, "mutation_scale": size, "shrinkA": 0, "shrinkB": 0,
                    "alpha": alpha},
    )  # fmt: skip


@takes_arrays()
def ray(
    axes: Axes, direction: Array, color: str, label: str | None = None, dashes: str = "--", zorder: float = 1.5
) -> None:
    """Draw the half-line from the origin along a unit vector, (>= 2,), in the plane of its first two coordinates."""
    reach = 2 * np.abs([*axes.get_xlim(), *axes.get_ylim()]).max()
    end = reach * direction[:2]
    axes.plot([0, end[0]], [0, end[1]], dashes, color=color, lw=1.1, zorder=zorder, label=label)


@takes_arrays()
def label_ray(
    axes: Axes, direction: Array, text: str, color: str, *, at: float = 0.8, side: int = 1, gap: float = 2.5
) -> None:
    """Write a text beside the ray along ``direction``, (>= 2,).

    at: position of the text, as a share of the ray's length within the axes. side: 1 for left of the ray, -1 for right.
    gap: distance between ray and text, in points.
    """
    x, y = direction[:2]
    limits = [(axes.get_xlim(), x), (axes.get_ylim(), y)]
    reach = min(max(np.array(limit) / part) for limit, part in limits if abs(part) > 1e-9 * max(abs(x), abs(y)))
    across = side * np.array([-y, x]) / np.hypot(x, y)
    where = {1: "left", 0: "center", -1: "right"}, {1: "bottom", 0: "center", -1: "top"}
    # The whole text is on one side of the ray, so that an oblique ray does not cross it.
    ha, va = (names[int(np.sign(np.round(part / 0.1)))] for names, part in zip(where, across, strict=True))
    axes.annotate(
        text, at * reach * np.array([x, y]), tuple(gap * across), textcoords="offset points", ha=ha, va=va, color=color,
        fontsize=SMALL_FONT_SIZE, path_effects=[withStroke(linewidth=1.5, foreground="#FFFFFF")], zorder=6,
    )  # fmt: skip


def reference_rays(axes: Axes, run: Run) -> None:
    """Draw all reference directions of the run's first problem, in the colors of style.COLORS.

    Directions that are not locally optimal are gray.
    """
    for name, reference in run.references.items():
        optimal = bool(reference["locally_optimal"][0])
        label = NAMES.get(name, name) if optimal else NOT_LOCALLY_OPTIMAL
        ray(axes, reference["direction"][0], COLORS.get(name, INK) if optimal else GRAY, label)


@takes_arrays()
def token(axes: Axes, position: Array, color: str, marker: str, label: str | None = None, size: float = 1) -> None:
    """Draw one token at the position of its key. size: size relative to tokens in other figures."""
    axes.scatter(
        *position[:2], s=size * MARKER_SIZE[marker], color=color, marker=marker, zorder=4, label=label, linewidths=0.4,
        edgecolors=INK,
    )  # fmt: skip


@takes_arrays()
def basins(axes: Axes, starts: Array, limit: Array, styles: dict[int, tuple[str, str]]) -> None:
    """Draw a cell for each start of a rectangular grid, colored by the limit of the training from this start.

    starts: (k, >= 2), row by row from the lowest row. limit: (k,), the number of the limit for each start. styles:
    number of a limit -> (color, label).
    """
    x, y = np.unique(starts[:, 0]), np.unique(starts[:, 1])
    half = (x[1] - x[0]) / 2
    shades = np.array([to_rgba(styles[int(number)][0], 0.3) for number in limit]).reshape(len(y), len(x), 4)
    extent = (x[0] - half, x[-1] + half, y[0] - half, y[-1] + half)
    axes.imshow(shades, origin="lower", extent=extent, interpolation="nearest", zorder=0)
    for number in np.unique(limit):
        color, label = styles[int(number)]
        axes.add_patch(Rectangle((np.nan, np.nan), 0, 0, color=color, alpha=0.3, linewidth=0, label=label))


@takes_arrays()
def square_window(points: Array, margin: float = 0.12) -> tuple[Sequence[float], Sequence[float]]:
    """Return xlim and ylim of a square around points (k, 2).

    margin: space on each side, as a share of the larger one of the points' width and height.
    """
    low, high = points.min(0), points.max(0)
    middle, half = (low + high) / 2, (0.5 + margin) * (high - low).max()
    return (middle[0] - half, middle[0] + half), (middle[1] - half, middle[1] + half)

"""Fig 2: starts colored by the limit of p / |p|, and a cone of starts around the locally-optimal direction."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Wedge

from attention_dynamics.measures.limit import prompt_references
from attention_dynamics.plots import planar
from attention_dynamics.plots.style import COLORS, FAINT, INK, PURPLE, legend, panels
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.types import Interval, RecordedStep, ReferenceName, RunName

LAST_DRAWN_STEP = RecordedStep(40)


def draw(
    runs: dict[str, Run], *, grid: RunName, inside: RunName, cone: ReferenceName, xlim: Interval,
    ylim: Interval, last_step: RecordedStep = LAST_DRAWN_STEP,
) -> Figure:  # fmt: skip
    """Draw a grid of starts, colored by the direction that p converges to, and a cone of starts.

    grid: the run from the grid of starts. inside: a run from starts in the cone. Its paths are drawn up to step
    ``last_step``, and the second panel shows the angles of p(t) to the axis of the cone in all steps. cone: the
    reference along this axis.
    """
    figure, (axes, angles) = panels(2, height=2.3, width_ratios=(1.8, 1))
    run = runs[grid]
    starts, limit = run.trajectory["p"][0, 0], run.series["limit"][-1, 0]
    styles = {-1: (FAINT, "no limit yet")}
    styles |= {
        k: (COLORS[name], f"start converges to {planar.SYMBOLS[name]}") for k, name in enumerate(prompt_references(run))
    }
    _draw_regions(axes, starts, limit, styles)
    planar.plane(axes, xlim, ylim)
    direction = run.references[cone]["direction"][0]
    angle, radius = (float(run.series[name][-1, 0, 0]) for name in ("cone_angle", "cone_radius"))
    centre = np.degrees(np.arctan2(direction[1], direction[0]))
    reach = 2 * max(map(abs, [*xlim, *ylim]))
    label = rf"cone of starts, $\|p\| \geq {radius:g}$, $\pm{angle:.2f}^\circ$"
    wedge = Wedge((0, 0), reach, centre - angle, centre + angle, width=reach - radius)
    wedge.set(facecolor="none", edgecolor=INK, linewidth=0.9, zorder=1.8, label=label)
    axes.add_patch(wedge)
    planar.ray(axes, direction, COLORS[cone], planar.NAMES[cone])
    paths = runs[inside].trajectory["p"][:, 0, :, :2]
    turns = np.degrees(np.arctan2(paths[..., 1], paths[..., 0])) - centre
    angles.plot(runs[inside].steps, turns, color=PURPLE)
    angles.axhline(0, color=COLORS[cone], ls="--", lw=1.1)
    for edge in (-angle, angle):
        angles.axhline(edge, color=INK, lw=0.9)
    angles.margins(y=0.08)
    angles.set(xlabel="iteration $t$", ylabel=f"angle of $p(t)$ to {planar.SYMBOLS[cone]}, in degrees")
    paths = paths[: runs[inside].at(last_step) + 1]
    for k, path in enumerate(np.moveaxis(paths, 1, 0)):
        name = "$p(t)$ from the cone" if k == 0 else None
        planar.trajectory(axes, path, color=PURPLE, arrow_every=6, width=1.0, label=name)
    planar.starts(axes, paths[0], "$p(0)$")
    legend(figure, place="below", columns=3)
    return figure


def _draw_regions(axes: Axes, starts: Array, limit: Array, styles: dict[int, tuple[str, str]]) -> None:
    """Color the plane by the limits of a grid of starts. The arguments are those of ``planar.basins``.

    If there are two limits and the border between their starts rises from left to right, two areas are drawn, with a
    smoothed border: a line through the mid-points between the border's positions in adjacent rows of the grid. In all
    other cases each start is drawn as a cell.
    """
    x, y = np.unique(starts[:, 0]), np.unique(starts[:, 1])
    spacing = x[1] - x[0]
    upper, lower = limit[-len(x)], limit[len(x) - 1]
    above = (limit == upper).reshape(len(y), len(x))
    columns = above.sum(1)
    rises = (np.diff(columns) >= 0).all() and (above[:, :-1] >= above[:, 1:]).all()
    if len(np.unique(limit)) != 2 or not rises:
        planar.basins(axes, starts, limit, styles)
        return
    # ``rows`` are the rows that the border crosses, one row below and one row above. A row is added below and above the
    # grid, because the border may cross its first or last row.
    columns = np.concatenate([[0], columns, [len(x)]])
    heights = np.concatenate([[y[0] - spacing], y, [y[-1] + spacing]])
    rows = slice(np.searchsorted(columns, 1) - 1, np.searchsorted(columns, len(x)) + 1)
    across, border = (
        np.concatenate([places[:1], (places[1:] + places[:-1]) / 2, places[-1:]])
        for places in (x[0] + spacing * (columns[rows] - 0.5), heights[rows])
    )
    for number, edge in ((upper, heights[-1]), (lower, heights[0])):
        color, label = styles[int(number)]
        axes.fill_between(across, border, edge, color=color, alpha=0.3, lw=0, label=label, zorder=0)

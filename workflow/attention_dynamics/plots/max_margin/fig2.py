"""Figure 2: initialisations by the direction they converge to, and the cone around the locally-optimal one."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Wedge

from attention_dynamics.measures.run import Run
from attention_dynamics.plots import planar
from attention_dynamics.plots.style import COLORS, FAINT, INK, panels
from attention_dynamics.types import Interval, Positive, ReferenceName, RunName


def draw(
    runs: dict[str, Run], *, grid: RunName, inside: RunName, cone: ReferenceName, radius: Positive, xlim: Interval,
    ylim: Interval, shown: Positive = 30.0,
) -> Figure:  # fmt: skip
    """One panel.

    grid: the run whose starts are coloured; inside: a run with starts in the cone, whose paths are drawn up to step
    ``shown``; cone: the reference; radius: the R of the cone, as measured.
    """
    figure, axes = panels(5.4, 4.8)
    planar.plane(axes, xlim, ylim)
    run = runs[grid]
    starts, limit = run.trajectory["p"][0, 0], run.series["limit"][-1, 0]
    spacing = np.diff(np.unique(starts[:, 0])).min()
    points_per_unit = 72 * 3.9 / (xlim[1] - xlim[0])
    size = (0.92 * spacing * points_per_unit) ** 2
    looks = [(name, COLORS[name], f"start converges to {planar.NAMES[name]}") for name in run.references]
    for number, color, label in [(-1, FAINT, "no limit yet"), *((k, c, t) for k, (_, c, t) in enumerate(looks))]:
        chosen = starts[limit == number]
        if len(chosen):
            axes.scatter(*chosen[:, :2].T, s=size, marker="s", color=color, alpha=0.28, linewidths=0, label=label)
    direction, angle = run.references[cone]["direction"][0], float(run.series["cone_angle"][-1, 0, 0])
    centre = np.degrees(np.arctan2(direction[1], direction[0]))
    reach = 2 * max(map(abs, [*xlim, *ylim]))
    label = rf"cone of starts, $\|p\| \geq {radius:g}$, $\pm{angle:.0f}^\circ$"
    wedge = Wedge((0, 0), reach, centre - angle, centre + angle, width=reach - radius)
    wedge.set(facecolor="none", edgecolor=INK, linewidth=1.3, zorder=3, label=label)
    axes.add_patch(wedge)
    planar.ray(axes, direction, COLORS[cone], planar.NAMES[cone])
    for k, path in enumerate(np.moveaxis(runs[inside].trajectory["p"][: runs[inside].at(int(shown)) + 1, 0], 1, 0)):
        planar.trajectory(axes, path, color=INK, arrow_every=6, width=1.1)
        axes.plot(*path[0, :2], "o", color=INK, ms=4.5, zorder=5, label="$p(0)$ in the cone" if k == 0 else None)
    axes.legend(loc="upper left", fontsize=8)
    return figure

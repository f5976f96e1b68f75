"""Extension: a local regularization path keeps the locally-optimal directions and no others (Theorem 4)."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.projections.polar import PolarAxes

from attention_dynamics.plots import planar
from attention_dynamics.plots.style import COLORS, FULL_WIDTH, INK, SMALL_FONT_SIZE, legend, panels, ramp
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.types import Labels, RecordedSteps, RunNames

DIRECTION_TOLERANCE = 1e-9


def draw(
    runs: dict[str, Run], *, fans: RunNames,
    exact: RunNames, titles: Labels, radii: RecordedSteps,
) -> Figure:  # fmt: skip
    """Draw a panel per fan: the angle between p(R) and the axis q of its cone, against the angle of q, for some R.

    Both are polar coordinates: what is kept lies at the centre, what leaves the cone on its edge.

    fans: runs with axes all around. exact: on the same problems, runs whose axes are the LMM directions themselves.
    titles: of the panels. radii: the values of R.
    """
    figure, row = panels(
        len(fans), height=3, width=FULL_WIDTH, subplot_kw={"projection": "polar"}
    )  # fmt: skip
    for axes, fan, kept, title in zip(np.atleast_1d(row), fans, exact, titles, strict=True):
        _draw_panel(axes, runs[fan], runs[kept], radii)
        axes.set_title(title)
        axes.set_xlabel(
            "angle: direction of $q$\n" r"radius: angle between $\bar{p}(R)$ and $q$", labelpad=3, linespacing=1
        )
    legend(figure, place="below", columns=3)
    return figure


def _draw_panel(axes: PolarAxes, fan: Run, exact: Run, radii: RecordedSteps) -> None:
    half_angle = fan.training.cone.half_angle
    reach = 1.37 * half_angle
    gmm = fan.references["gmm"]["direction"][0]
    for direction in fan.lmm_set["direction"]:
        role = "gmm" if np.linalg.norm(direction - gmm) < DIRECTION_TOLERANCE else "lmm"
        axes.plot([_angle(direction)] * 2, [0, reach], color=COLORS[role], lw=0.9, label=planar.NAMES[role])
    angles = _angle(fan.trajectory["p"][0, 0])
    order = np.argsort(angles)
    # Smaller on top of larger, because most points of all radii lie on the edge of the cone.
    sizes = np.linspace(4.5, 1.8, len(radii))
    for color, size, radius in zip(ramp(radii), sizes, radii, strict=True):
        angle_from_start = fan.series["angle_from_start"][fan.at(radius), 0]
        axes.plot(
            angles[order], angle_from_start[order], "o", color=color, ms=size, mew=0, ls="none", label=f"$R = {radius}$"
        )
    last = exact.series["angle_from_start"][-1, 0]
    axes.plot(_angle(exact.trajectory["p"][0, 0]), last, "s", mfc="none", mec=INK, ms=5, mew=0.7, ls="none", zorder=5,
              clip_on=False, label=f"$q$ locally optimal, $R = {exact.steps[-1]}$")  # fmt: skip
    axes.set_rlim(0, reach)
    degrees = np.arange(1, int(half_angle) + 1)
    axes.set_rticks(degrees, [])
    # Outside their circles, farther where points hide the circle.
    for degree in degrees:
        radius = degree + (0.09 if degree < half_angle else 0.19) * half_angle
        axes.text(np.radians(202.5), radius, rf"${degree}^\circ$", ha="center", va="center", fontsize=SMALL_FONT_SIZE)
    axes.set_xticks(np.radians(range(0, 360, 45)), [rf"${angle}^\circ$" for angle in range(0, 360, 45)])
    axes.tick_params(pad=-1)
    axes.spines["polar"].set_linewidth(0.5)


def _angle(points: Array) -> Array:
    """Return the angles of points (..., >= 2) in radians."""
    return np.arctan2(points[..., 1], points[..., 0])

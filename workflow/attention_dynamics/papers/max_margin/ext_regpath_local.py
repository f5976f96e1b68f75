"""Extension: local regularization paths in cones around directions q, and the risk along q.

A path stays at q if q is locally optimal. Far along q, the margin of q sets the rate at which the risk approaches its
limit, and the scores of the neighbors of the selected tokens decide whether it does so from above or from below.

Source: Theorem 4, and Lemmas 8 and 9 on the risk along a ray.
"""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_dynamics.plots import planar
from attention_dynamics.plots.style import COLORS, GRAY, GRID, INK, PURPLE, SKY, SMALL_FONT_SIZE, legend, panels, ramp
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.types import Labels, RecordedSteps, RunNames

DIRECTION_TOLERANCE = 1e-9
# Color and label for each value of the series ``neighbor_optimal``.
SIDES = {
    1: (PURPLE, "all neighbors score less"),
    -1: (SKY, "all neighbors score more"),
    0: (GRAY, "neighbors of both kinds"),
}


def draw(
    runs: dict[str, Run], *, rays: RunNames, fans: RunNames, exact: RunNames, titles: Labels,
    ray_radii: RecordedSteps, radii: RecordedSteps,
) -> Figure:  # fmt: skip
    """Draw, against the angle of q: the rate and the sign of L(R q) - L_q, and the angle of the local path to q.

    L_q is the risk of the tokens that q selects. The sign is drawn for the last of ``ray_radii``.

    rays, fans, exact: one run for each column, along the rays in all directions q, with local paths in cones around all
    q, and with local paths in cones around the LMM directions. titles: titles of the columns. ray_radii, radii: values
    of R, in increasing order, for the rays and for the paths.
    """
    figure, grid = panels(len(rays), 3, height=1.35, sharex=True, sharey="row", height_ratios=(4, 1.1, 4))
    for column, ray, fan, kept, title in zip(grid.T, rays, fans, exact, titles, strict=True):
        _draw_rates(column[0], runs[ray], ray_radii)
        _draw_sides(column[1], runs[ray], ray_radii[-1])
        _draw_turns(column[2], runs[fan], runs[kept], radii)
        column[0].set(title=title, ylim=(0, 1.5))
        column[2].set(xlabel="angle of $q$ (degrees)", xlim=(-8, 368))
        column[2].set_xticks(range(0, 361, 60))
    grid[0, 0].set_ylabel("rate\n" + r"$-\ln|\mathcal{L}(Rq) - \mathcal{L}_q| / R$")
    grid[1, 0].set_yticks((-1, 1), (r"$\mathcal{L} < \mathcal{L}_q$", r"$\mathcal{L} > \mathcal{L}_q$"))
    grid[2, 0].set_ylabel("angle between\n" + r"$\bar{p}(R)$ and $q$")
    legend(figure, place="below", columns=4)
    return figure


def _draw_rates(axes: Axes, run: Run, radii: RecordedSteps) -> None:
    angles = _degrees(run.trajectory["p"][0, 0])
    # Later lines are thinner, so that they do not hide earlier ones: the lines of large radii almost coincide.
    widths = np.linspace(2.4, 0.9, len(radii))
    for R, color, width in zip(radii, ramp(radii), widths, strict=True):
        rate = -run.series["log_excess"][run.at(R), 0] / R
        axes.plot(angles, rate, color=color, lw=width, label=f"rate at $R = {R}$")
    axes.plot(angles, run.series["margin"][0, 0], "--", color=INK, lw=0.7, zorder=3, label="margin of $q$")


def _draw_sides(axes: Axes, run: Run, radius: int) -> None:
    angles = _degrees(run.trajectory["p"][0, 0])
    side, neighbors = run.series["excess_sign"][run.at(radius), 0], run.series["neighbor_optimal"][0, 0]
    for sign, (color, label) in SIDES.items():
        axes.plot(angles[neighbors == sign], side[neighbors == sign], "s", color=color, ms=2.2, mew=0, label=label)
    axes.set_ylim(-2, 2)


def _draw_turns(axes: Axes, fan: Run, exact: Run, radii: RecordedSteps) -> None:
    half_angle = fan.training.cone.half_angle
    gmm = fan.references["gmm"]["direction"][0]
    for direction in fan.lmm_set["direction"]:
        role = "gmm" if np.linalg.norm(direction - gmm) < DIRECTION_TOLERANCE else "lmm"
        axes.axvline(float(_degrees(direction)), color=COLORS[role], lw=0.9, zorder=1, label=planar.NAMES[role])
    axes.axhspan(0.97 * half_angle, 1.2 * half_angle, color=GRID, lw=0)
    axes.text(360, 1.09 * half_angle, "edge of the cone: $q$ is not kept", ha="right", va="center",
              fontsize=SMALL_FONT_SIZE)  # fmt: skip
    angles = _degrees(fan.trajectory["p"][0, 0])
    order = np.argsort(angles)
    # Later points are smaller, so that they do not hide earlier ones: most points lie on the edge of the cone.
    sizes = np.linspace(5, 2.4, len(radii))
    for color, size, R in zip(reversed(ramp(radii)), sizes, radii, strict=True):
        turn = fan.series["angle_from_start"][fan.at(R), 0]
        axes.plot(angles[order], turn[order], "o", color=color, ms=size, mew=0, label=rf"$\bar{{p}}(R)$, $R = {R}$")
    last = exact.series["angle_from_start"][-1, 0]
    axes.plot(_degrees(exact.trajectory["p"][0, 0]), last, "s", mfc="none", mec=INK, ms=5, mew=0.7, zorder=5,
              clip_on=False, label=f"$q$ locally optimal, $R = {exact.steps[-1]}$")  # fmt: skip
    ticks = range(int(half_angle) + 1)
    axes.set_yticks(ticks, [rf"${tick}^\circ$" for tick in ticks])
    axes.set_ylim(0, 1.2 * half_angle)


def _degrees(points: Array) -> Array:
    """Return the angles, (...), of points (..., >= 2) in degrees, from 0 to below 360."""
    # The angles are rounded, so that a direction along the x axis has 0, even if round-off puts it just below the axis.
    return np.degrees(np.arctan2(points[..., 1], points[..., 0])).round(9) % 360

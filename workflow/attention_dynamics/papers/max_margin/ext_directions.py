"""Extension: the risk along a ray approaches its limit at the rate of the direction's margin (Lemmas 8 and 9)."""

import numpy as np
from matplotlib.figure import Figure

from attention_dynamics.plots.style import GRAY, INK, PURPLE, SKY, legend, panels, ramp
from attention_dynamics.run import Run
from attention_dynamics.types import Labels, RecordedSteps

SIDES = {
    1: (PURPLE, "all neighbors score less"),
    -1: (SKY, "all neighbors score more"),
    0: (GRAY, "neighbors of both kinds"),
}


def draw(runs: dict[str, Run], *, titles: Labels, radii: RecordedSteps) -> Figure:
    """Draw the rate of every ray at some radii, the margin of its direction, and the side that its risk comes from.

    All are against the angle of the ray, a column per run. radii: in increasing order; the side is that of the last.
    """
    figure, grid = panels(len(runs), 2, height=1.75, sharex=True, sharey="row", height_ratios=(5, 1))
    # The rates of large radii are close together and close to the margins: thinner over thicker.
    widths = np.linspace(0.9, 2.4, len(radii))
    for (above, below), run, title in zip(grid.T, runs.values(), titles, strict=True):
        p = run.trajectory["p"][0, 0]
        angles = np.degrees(np.arctan2(p[:, 1], p[:, 0])) % 360
        for R, color, width in zip(radii, ramp(radii), widths, strict=True):
            rate = -run.series["log_excess"][run.at(R), 0] / R
            above.plot(angles, rate, color=color, lw=width, zorder=2 + 1 / R, label=f"rate at $R = {R}$")
        above.plot(angles, run.series["margin"][0, 0], "--", color=INK, lw=0.7, zorder=3, label="margin of $q$")
        side, neighbors = run.series["excess_sign"][run.at(radii[-1]), 0], run.series["neighbor_optimal"][0, 0]
        for sign, (color, label) in SIDES.items():
            below.plot(angles[neighbors == sign], side[neighbors == sign], "s", color=color, ms=2.2, mew=0, label=label)
        above.set(title=title, ylim=(0, 1.5))
        below.set(xlabel="angle of $q$ (degrees)", xlim=(0, 360), ylim=(-2, 2))
        below.set_xticks(range(0, 361, 60))
    grid[0, 0].set_ylabel(r"rate $-\ln|\mathcal{L}(Rq) - \mathcal{L}_q| \,/\, R$")
    grid[1, 0].set_yticks((-1, 1), (r"$\mathcal{L} < \mathcal{L}_q$", r"$\mathcal{L} > \mathcal{L}_q$"))
    legend(figure, list(grid[0]))
    legend(figure, list(grid[1]), place="below")
    return figure

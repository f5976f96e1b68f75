"""Extension: the risk along a ray approaches its limit at the rate of the direction's margin (Lemmas 8 and 9)."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from attention_dynamics.plots.style import BLUE, INK, ORANGE, PURPLE, legend, panels
from attention_dynamics.run import Run
from attention_dynamics.types import Labels, RecordedSteps

MARKERS = ("v", "s", "o")
SIDES = {
    1: (ORANGE, "all neighbours score less"),
    -1: (BLUE, "all neighbours score more"),
    0: (PURPLE, "neighbours of both kinds"),
}


def draw(runs: dict[str, Run], *, titles: Labels, radii: RecordedSteps) -> Figure:
    """Draw the rate of every ray at some radii, and the margin of its direction, against its angle; a panel per run."""
    figure, grid = panels(len(runs), height=2.3, sharey=True)
    for axes, run, title in zip(np.ravel(grid), runs.values(), titles, strict=True):
        p = run.trajectory["p"][0, 0]
        angles = np.degrees(np.arctan2(p[:, 1], p[:, 0])) % 360
        margin, side = run.series["margin"][0, 0], run.series["neighbour_optimal"][0, 0]
        axes.plot(angles, margin, color=INK, lw=0.8, zorder=3)
        for marker, R in zip(MARKERS, radii, strict=False):
            rate = -run.series["log_excess"][run.at(R), 0] / R
            for sign, (color, _) in SIDES.items():
                axes.plot(angles[side == sign], rate[side == sign], marker, color=color, ms=1.8, mew=0)
        axes.set(title=title, xlabel="angle of $q$ (degrees)", xlim=(0, 360), ylim=(0, 1.9))
        axes.set_xticks(range(0, 361, 60))
    np.ravel(grid)[0].set_ylabel(r"rate $-\ln|\mathcal{L}(Rq) - \mathcal{L}_q| \,/\, R$")
    handles = [Line2D([], [], color=INK, lw=1.0, label=r"margin of $q$")]
    handles += [Line2D([], [], color=color, marker="o", ls="", ms=4, label=label) for color, label in SIDES.values()]
    radius = [
        Line2D([], [], color=INK, marker=m, ls="", ms=4, label=f"$R = {R}$")
        for m, R in zip(MARKERS, radii, strict=False)
    ]
    legend(figure, [*handles, *radius], columns=4)
    return figure

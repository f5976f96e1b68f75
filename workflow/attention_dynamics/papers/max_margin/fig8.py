"""Fig 8: with two inputs, two starts reach two different max-margin directions."""

import numpy as np
from matplotlib.figure import Figure

from attention_dynamics.plots import planar
from attention_dynamics.plots.style import GREEN, SKY, panels
from attention_dynamics.run import Run, single_run
from attention_dynamics.types import Interval, RecordedStep

LAST_DRAWN_STEP = RecordedStep(100)


def draw(runs: dict[str, Run], *, xlim: Interval, ylim: Interval, shown: RecordedStep = LAST_DRAWN_STEP) -> Figure:
    """Draw the first ``shown`` iterates from every start, and the tokens."""
    run = single_run(runs)
    figure, axes = panels(5.6, 4.4)
    planar.plane(axes, xlim, ylim)
    for k, path in enumerate(np.moveaxis(run.trajectory["p"][: run.at(shown) + 1, 0], 1, 0)):
        planar.trajectory(axes, path)
        axes.plot(*path[0, :2], "o", mfc="white", mec="black", ms=4, zorder=4, label="$p(0)$" if k == 0 else None)
    planar.reference_rays(axes, run)
    for i, (color, marker) in enumerate([(GREEN, "o"), (SKY, "s")]):
        for t, position in enumerate(run.problem.keys[0, i]):
            shape = "*" if t == run.problem.optimal[0, i] else marker
            score = run.problem.scores()[0, i, t]
            planar.token(axes, position, color, shape, rf"input {i + 1}, $\gamma = {score:g}$")
    axes.legend(loc="upper right", fontsize=8)
    return figure

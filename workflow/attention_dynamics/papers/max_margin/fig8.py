"""Fig 8: with two inputs, two starts reach two different max-margin directions."""

import numpy as np
from matplotlib.figure import Figure

from attention_dynamics.plots import planar
from attention_dynamics.plots.style import GREEN, SKY, legend
from attention_dynamics.run import Run
from attention_dynamics.types import Interval, RecordedStep

LAST_DRAWN_STEP = RecordedStep(100)


def draw(run: Run, *, xlim: Interval, ylim: Interval, last_step: RecordedStep = LAST_DRAWN_STEP) -> Figure:
    """Draw the iterates from every start up to ``last_step``, and the tokens. xlim, ylim: limits of the axes."""
    figure, axes = planar.plane_panels(1, xlim, ylim, extra=0.48)
    paths = run.trajectory["p"][: run.at(last_step) + 1, 0]
    for k, path in enumerate(np.moveaxis(paths, 1, 0)):
        planar.trajectory(axes, path, label="$p(t)$" if k == 0 else None)
    planar.starts(axes, paths[0])
    planar.reference_rays(axes, run)
    for i, (color, marker) in enumerate([(GREEN, "o"), (SKY, "s")]):
        for t, position in enumerate(run.problem.keys[0, i]):
            shape = "*" if t == run.problem.optimal[0, i] else marker
            score = run.problem.scores()[0, i, t]
            planar.token(axes, position, color, shape, rf"input {i + 1}, $\gamma = {score:g}$")
    legend(figure, place="below", columns=2)
    return figure

"""Fig 5: the transient bias of two losses towards one of two inputs, for growing scores."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_dynamics.plots import planar
from attention_dynamics.plots.style import GREEN, SKY, VERMILION, label_ends, legend, ramp
from attention_dynamics.run import Run
from attention_dynamics.types import Interval, RecordedStep, Symbol

# The paper draws the first 200 iterates.
LAST_DRAWN_STEP = RecordedStep(200)
NAMES = {"correlation": r"correlation, $\ell(x) = -x$", "logistic": r"logistic, $\ell(x) = \log(1 + e^{-x})$"}
# How many values a panel names at most; others lie between them.
MAX_NAMED = 5


def draw(
    runs: dict[str, Run], *, setting: Symbol, xlim: Interval, ylim: Interval, last_step: RecordedStep = LAST_DRAWN_STEP
) -> Figure:
    """Draw the paths of p, a panel for each loss and a line for every value of a setting of the problem.

    setting: its name. last_step: the last step to draw.
    """
    figure, row = planar.plane_panels(len(runs), xlim, ylim, extra=0.45, sharey=True)
    for axes, run in zip(np.atleast_1d(row), runs.values(), strict=True):
        kind = run.training.loss.kind
        axes.set_title(NAMES.get(kind, kind))
        planar.ray(axes, run.references["gmm"]["direction"][0], VERMILION, planar.NAMES["gmm"])
        _draw_paths(axes, run, setting, last_step)
        _draw_tokens(axes, run, setting)
    np.ravel(row)[-1].set_ylabel("")
    legend(figure, place="below", columns=3)
    return figure


def _draw_paths(axes: Axes, run: Run, setting: str, last_step: RecordedStep) -> None:
    values, last = run.problem.settings[setting], run.at(last_step) + 1
    colors = ramp(values)
    paths = run.trajectory["p"][:last, :, 0, :2]
    for k, color in enumerate(colors):
        axes.plot(*paths[:, k].T, color=color, lw=0.9)
    planar.starts(axes, paths[0, :1])
    right, order = axes.get_xlim()[1], np.argsort(values)
    named = order[np.unique(np.linspace(0, len(order) - 1, MAX_NAMED).round().astype(int))]
    ends = []
    for k in named:
        path = paths[:, k]
        beyond = np.flatnonzero(path[:, 0] > right)
        height = path[beyond[0] if len(beyond) else -1, 1]
        ends.append((float(height), f"${setting} = {values[k]:g}$", colors[k]))
    label_ends(axes, ends)


def _draw_tokens(axes: Axes, run: Run, setting: str) -> None:
    keys = run.problem.keys[0]
    styles = [(keys[0, 0], GREEN, "^", r"$\gamma = 0$"), (keys[0, 1], GREEN, "*", rf"$\gamma = {setting}$"),
              (keys[1, 0], SKY, "v", r"$\gamma = 0$"), (keys[1, 1], SKY, "*", r"$\gamma = 1$")]  # fmt: skip
    for position, color, marker, label in styles:
        planar.token(axes, position, color, marker, f"input {1 if color == GREEN else 2}, {label}")

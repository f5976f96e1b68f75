"""Fig 1: trajectories of p and the max-margin directions, for one input or several."""

import itertools

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_dynamics.plots import planar
from attention_dynamics.plots.style import BLUE, GRAY, GREEN, INPUT_COLORS, RED, panels
from attention_dynamics.run import Run, single_run
from attention_dynamics.types import Interval, RecordedStep

# The paper draws the first 200 iterates.
LAST_DRAWN_STEP = RecordedStep(200)


def draw(runs: dict[str, Run], *, xlim: Interval, ylim: Interval, shown: RecordedStep = LAST_DRAWN_STEP) -> Figure:
    """Draw the first ``shown`` iterates from every start, with an arrow at every tenth, and the tokens.

    shown: the last step to draw.
    """
    run = single_run(runs)
    figure, axes = panels(5.2, 4.3)
    planar.plane(axes, xlim, ylim)
    for path in np.moveaxis(run.trajectory["p"][: run.at(shown) + 1, 0], 1, 0):
        planar.trajectory(axes, path)
    planar.reference_rays(axes, run)
    (_tokens_of_one_input if len(run.problem.labels[0]) == 1 else _tokens_of_several_inputs)(axes, run)
    axes.legend(loc="upper right")
    return figure


def _tokens_of_one_input(axes: Axes, run: Run) -> None:
    styles = [(RED, "*"), (BLUE, "s"), (GREEN, "o")]
    for position, score, (color, marker) in zip(
        run.problem.keys[0, 0], run.problem.scores()[0, 0], styles, strict=True
    ):
        planar.token(axes, position, color, marker, rf"token, $\gamma = {score:g}$")


def _tokens_of_several_inputs(axes: Axes, run: Run) -> None:
    keys, scores, optimal = run.problem.keys[0], run.problem.scores()[0], run.problem.optimal[0]
    for i, color in zip(range(len(keys)), itertools.cycle(INPUT_COLORS), strict=False):
        for t, position in enumerate(keys[i]):
            best = t == optimal[i]
            label = rf"{'optimal' if best else 'other'} tokens, $\gamma = {scores[i, t]:g}$ (a colour per input)"
            planar.token(axes, position, color, "*" if best else "^", label if i == 0 and t < 2 else None)
    _hyperplane(axes, run)


def _hyperplane(axes: Axes, run: Run) -> None:
    """Draw the line across the GMM direction, through the mid-point of the first pair of tokens with margin one."""
    gmm, keys = run.references["gmm"], run.problem.keys[0]
    i, t = np.argwhere(gmm["neighbours"][0])[0]
    middle = (keys[i, t] + keys[i, run.problem.optimal[0, i]])[:2] / 2
    along = gmm["direction"][0, 1::-1] * [-1, 1]
    ends = middle + np.array([[-20], [20]]) * along
    axes.plot(*ends.T, ":", color=GRAY, lw=1.3, zorder=1, label="separating hyperplane")

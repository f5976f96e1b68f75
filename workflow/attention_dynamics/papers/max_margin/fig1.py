"""Fig 1: trajectories of p and the max-margin directions, for one input or several."""

import itertools

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from attention_dynamics.plots import planar
from attention_dynamics.plots.panels import PathPanels
from attention_dynamics.plots.style import FULL_WIDTH, GRAY, GREEN, INPUT_COLORS, PURPLE, SKY, legend, panels
from attention_dynamics.run import Run, single_run
from attention_dynamics.types import Interval, RecordedStep

# The paper draws the first 200 iterates.
LAST_DRAWN_STEP = RecordedStep(200)
# Of the tokens of one input, by their order in the problem.
TOKEN_STYLES = ((GREEN, "*"), (SKY, "s"), (PURPLE, "o"))


def draw(runs: dict[str, Run], *, xlim: Interval, ylim: Interval, last_step: RecordedStep = LAST_DRAWN_STEP) -> Figure:
    """Draw the first ``last_step`` iterates from every start, with an arrow at every tenth, and the tokens.

    last_step: the last step to draw.
    """
    figure, axes = planar.plane_panels(1, xlim, ylim, extra=0.48)
    _draw_panel(axes, single_run(runs), last_step)
    legend(figure, place="below", columns=2)
    return figure


def draw_all(runs: dict[str, Run], *, panel: PathPanels, last_step: RecordedStep = LAST_DRAWN_STEP) -> Figure:
    """Draw the same for several runs side by side, a panel per entry of ``panel``. last_step: the last step to draw."""
    ratios = [(one.ylim[1] - one.ylim[0]) / (one.xlim[1] - one.xlim[0]) for one in panel]
    # Panels of one height are as wide as their limits need.
    height = (FULL_WIDTH - planar.LABEL_WIDTH * len(panel)) / sum(1 / ratio for ratio in ratios)
    figure, row = panels(len(panel), height=height + 1.15, width_ratios=[1 / ratio for ratio in ratios])
    for axes, one in zip(np.atleast_1d(row), panel, strict=True):
        planar.plane(axes, one.xlim, one.ylim)
        _draw_panel(axes, runs[one.run], last_step)
    legend(figure, place="below", columns=3)
    return figure


def _draw_panel(axes: Axes, run: Run, last_step: RecordedStep) -> None:
    paths = run.trajectory["p"][: run.at(last_step) + 1, 0]
    for k, path in enumerate(np.moveaxis(paths, 1, 0)):
        planar.trajectory(axes, path, label="$p(t)$" if k == 0 else None)
    planar.starts(axes, paths[0])
    planar.reference_rays(axes, run)
    (_tokens_of_one_input if len(run.problem.labels[0]) == 1 else _tokens_of_several_inputs)(axes, run)


def _tokens_of_one_input(axes: Axes, run: Run) -> None:
    scores = run.problem.scores()[0, 0]
    for position, score, (color, marker) in zip(run.problem.keys[0, 0], scores, TOKEN_STYLES, strict=True):
        planar.token(axes, position, color, marker, rf"token, $\gamma = {score:g}$")


def _tokens_of_several_inputs(axes: Axes, run: Run) -> None:
    keys, scores, optimal = run.problem.keys[0], run.problem.scores()[0], run.problem.optimal[0]
    for i, color in zip(range(len(keys)), itertools.cycle(INPUT_COLORS), strict=False):
        for t, position in enumerate(keys[i]):
            planar.token(axes, position, color, "*" if t == optimal[i] else "^")
    for marker, label, t in (("*", "optimal", optimal[0]), ("^", "other", (optimal[0] + 1) % keys.shape[1])):
        name = rf"{label} tokens, $\gamma = {scores[0, t]:g}$, a colour per input"
        axes.scatter([], [], s=planar.MARKER_SIZE[marker], color=GRAY, marker=marker, label=name)
    _hyperplane(axes, run)


def _hyperplane(axes: Axes, run: Run) -> None:
    """Draw the line across the GMM direction, through the mid-point of the first pair of tokens with margin one."""
    gmm, keys = run.references["gmm"], run.problem.keys[0]
    i, t = np.argwhere(gmm["neighbours"][0])[0]
    middle = (keys[i, t] + keys[i, run.problem.optimal[0, i]])[:2] / 2
    along = gmm["direction"][0, 1::-1] * [-1, 1]
    ends = middle + np.array([[-20], [20]]) * along
    axes.add_line(Line2D(*ends.T, color=GRAY, ls=":", lw=0.9, zorder=1, label="separating hyperplane"))

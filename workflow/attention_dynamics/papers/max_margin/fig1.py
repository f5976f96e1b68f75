"""Fig 1: trajectories of p and the max-margin directions, for one input or several."""

import itertools
from collections.abc import Iterable, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from attention_dynamics.plots import planar
from attention_dynamics.plots.panels import PathPanels, Zoom
from attention_dynamics.plots.style import FULL_WIDTH, GRAY, INPUT_COLORS, legend, panels
from attention_dynamics.run import Run
from attention_dynamics.types import Interval, RecordedStep

# The paper draws the first 200 iterates.
LAST_DRAWN_STEP = RecordedStep(200)
# Markers of tokens by their score. All other scores, from the largest to the smallest, get OTHER_SHAPES in turn.
SHAPES, OTHER_SHAPES = {1.0: "*", 0.9: "s", 0.5: "D", 0.0: "^"}, "v<>p"


def draw(
    run: Run, *, xlim: Interval, ylim: Interval, zoom: Zoom | None = None,
    last_step: RecordedStep = LAST_DRAWN_STEP,
) -> Figure:  # fmt: skip
    """Draw the iterates from every start up to ``last_step``, with an arrow at every tenth iterate, and the tokens.

    xlim, ylim: limits of the axes. zoom: part of the plane to draw again, larger. last_step: the last step to draw.
    """
    figure, axes = planar.plane_panels(1, xlim, ylim, extra=0.48)
    shapes = _shapes([run])
    _draw_panel(axes, run, zoom, shapes, last_step)
    _legend(figure, [run], shapes, columns=2)
    return figure


def draw_all(runs: dict[str, Run], *, panel: PathPanels, last_step: RecordedStep = LAST_DRAWN_STEP) -> Figure:
    """Draw the iterates and tokens of several runs side by side, a panel per entry of ``panel``; see ``draw``."""
    ratios = [(one.ylim[1] - one.ylim[0]) / (one.xlim[1] - one.xlim[0]) for one in panel]
    # All panels have the same height. Their widths follow from their limits.
    height = (FULL_WIDTH - planar.LABEL_WIDTH * len(panel)) / sum(1 / ratio for ratio in ratios)
    figure, row = panels(len(panel), height=height + 1.15, width_ratios=[1 / ratio for ratio in ratios])
    shown = [runs[one.run] for one in panel]
    shapes = _shapes(shown)
    for axes, one, run in zip(np.atleast_1d(row), panel, shown, strict=True):
        planar.plane(axes, one.xlim, one.ylim)
        _draw_panel(axes, run, one.zoom, shapes, last_step)
    _legend(figure, shown, shapes, columns=4)
    return figure


def _draw_panel(axes: Axes, run: Run, zoom: Zoom | None, shapes: dict[float, str], last_step: RecordedStep) -> None:
    paths = run.trajectory["p"][: run.at(last_step) + 1, 0]
    for plane, size in planar.with_enlarged(axes, zoom):
        for k, path in enumerate(np.moveaxis(paths, 1, 0)):
            planar.trajectory(plane, path, label="$p(t)$" if k == 0 else None)
        planar.starts(plane, paths[0])
        planar.reference_rays(plane, run)
        if len(run.problem.labels[0]) > 1:
            _hyperplane(plane, run)
        _tokens(plane, run, shapes, size)


def _shapes(runs: Iterable[Run]) -> dict[float, str]:
    """Return score -> marker for all scores in the first problem of each run, in decreasing order of the scores."""
    scores = sorted({float(score) for run in runs for score in run.problem.scores()[0].flat}, reverse=True)
    others = dict(zip((score for score in scores if score not in SHAPES), itertools.cycle(OTHER_SHAPES), strict=False))
    return {score: SHAPES.get(score) or others[score] for score in scores}


def _tokens(axes: Axes, run: Run, shapes: dict[float, str], size: float) -> None:
    keys, scores = run.problem.keys[0], run.problem.scores()[0]
    for i, color in zip(range(len(keys)), itertools.cycle(INPUT_COLORS), strict=False):
        # Optimal tokens are drawn last, so that no other token covers them.
        for t in np.argsort(scores[i], kind="stable"):
            planar.token(axes, keys[i, t], color, shapes[float(scores[i, t])], size=size)


def _legend(figure: Figure, runs: Sequence[Run], shapes: dict[float, str], columns: int) -> None:
    """Put a legend below the panels: lines, markers by score, and, if there are several inputs, their colors."""
    inputs = max(len(run.problem.labels[0]) for run in runs)
    axes = figure.axes[-1]
    for score, marker in shapes.items():
        planar.token(
            axes, np.full(2, np.nan), GRAY if inputs > 1 else INPUT_COLORS[0], marker, rf"token, $\gamma = {score:g}$"
        )
    for i, color in zip(range(inputs if inputs > 1 else 0), itertools.cycle(INPUT_COLORS), strict=False):
        axes.add_patch(Rectangle((np.nan, np.nan), 0, 0, color=color, linewidth=0, label=f"input {i + 1}"))
    legend(figure, place="below", columns=columns)


def _hyperplane(axes: Axes, run: Run) -> None:
    """Draw the line that is orthogonal to the GMM direction and goes through the mid-point of the keys of two tokens.

    The tokens are the optimal token of an input and another token t of it with p_mm'(k_opt - k_t) = 1. If there are
    several such pairs, the first one is used.
    """
    gmm, keys = run.references["gmm"], run.problem.keys[0]
    i, t = np.argwhere(gmm["neighbors"][0])[0]
    middle = (keys[i, t] + keys[i, run.problem.optimal[0, i]])[:2] / 2
    along = gmm["direction"][0, 1::-1] * [-1, 1]
    ends = middle + np.array([[-20], [20]]) * along
    axes.add_line(Line2D(*ends.T, color=GRAY, ls=":", lw=0.9, zorder=1, label="separating hyperplane"))

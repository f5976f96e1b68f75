"""Fig 5: the transient bias of two losses towards one of two inputs, for growing scores."""

from collections.abc import Iterable

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_dynamics.plots import planar
from attention_dynamics.plots.style import GRAY, GREEN, SKY, SMALL_FONT_SIZE, VERMILION, label_ends, legend, ramp
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.types import Interval, RecordedStep, Symbol

# The paper draws the first 200 iterates.
LAST_DRAWN_STEP = RecordedStep(200)
NAMES = {"correlation": r"correlation, $\ell(x) = -x$", "logistic": r"logistic, $\ell(x) = \log(1 + e^{-x})$"}
# Smallest distance between the labels of lines, as a share of the height of the axes. A line gets no label if it ends
# closer to a line that has one.
LABEL_GAP = 0.055


def draw(
    runs: dict[str, Run], *, setting: Symbol, xlim: Interval, ylim: Interval, last_step: RecordedStep = LAST_DRAWN_STEP
) -> Figure:
    """Draw the paths of p, with a panel for each run and a line for every value of ``setting``.

    runs: one run for each loss. setting: name of a setting of the problems. xlim, ylim: limits of the axes. last_step:
    the last step to draw.
    """
    figure, row = planar.plane_panels(len(runs), xlim, ylim, extra=0.45, sharey=True)
    for axes, run in zip(np.atleast_1d(row), runs.values(), strict=True):
        kind = run.training.loss.kind
        axes.set_title(NAMES.get(kind, kind))
        planar.ray(axes, run.references["gmm"]["direction"][0], VERMILION, planar.NAMES["gmm"], zorder=3)
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
    # The extreme values get their labels first, because the labels that come later are left out if there is no room.
    order = np.argsort(values)[::-1].tolist()
    _label_paths(axes, [(paths[:, k], f"${setting} = {values[k]:g}$", colors[k]) for k in _from_both_ends(order)])


def _from_both_ends(order: list[int]) -> list[int]:
    """Return the numbers of ``order``, taken alternately from its start and its end."""
    return [order[k // 2] if k % 2 == 0 else order[-1 - k // 2] for k in range(len(order))]


def _label_paths(axes: Axes, paths: Iterable[tuple[Array, str, str]]) -> None:
    """Write a label for each path where it leaves the axes, or at its end if it stays inside.

    Paths that leave through the lower or upper edge always get a label there. All others get one on the right, unless
    an earlier label on the right is closer than LABEL_GAP. paths: (path, text, color), with path (records, 2).
    """
    right, (bottom, top) = axes.get_xlim()[1], axes.get_ylim()
    ends: list[tuple[float, str, str]] = []
    for path, text, color in paths:
        outside = np.flatnonzero((path[:, 0] > right) | (path[:, 1] < bottom) | (path[:, 1] > top))
        x, y = path[outside[0] if len(outside) else -1]
        if not bottom <= y <= top:
            axes.annotate(text, (x, np.clip(y, bottom, top)), (4, 4 if y < bottom else -4), textcoords="offset points",
                          va="bottom" if y < bottom else "top", color=color, fontsize=SMALL_FONT_SIZE)  # fmt: skip
        elif all(abs(y - other) >= LABEL_GAP * (top - bottom) for other, _, _ in ends):
            ends.append((float(y), text, color))
    label_ends(axes, ends, gap=LABEL_GAP)


def _draw_tokens(axes: Axes, run: Run, setting: str) -> None:
    keys = run.problem.keys[0]
    planar.token(axes, keys[0, 0], GRAY, "D", r"both inputs, $\gamma = 0$", size=2)
    planar.token(axes, keys[0, 1], GREEN, "*", rf"input 1, $\gamma = {setting}$")
    planar.token(axes, keys[1, 1], SKY, "*", r"input 2, $\gamma = 1$")

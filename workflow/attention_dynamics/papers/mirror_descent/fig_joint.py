"""Joint l_p mirror descent on W and the head: paths, and probabilities of the selected tokens."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke

from attention_dynamics.papers.mirror_descent.exponent_styles import exponent
from attention_dynamics.plots.planar import starts
from attention_dynamics.plots.style import BLUE, FAINT, GRAY, GREEN, GRID, INK, SMALL_FONT_SIZE, START, legend, panels
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.types import Positive, RecordedStep, ReferenceName, RunNames

# Series, label, color, line style.
PROBABILITIES = (
    ("selected_logistic", "logistic, of the labels", GREEN, "-"),
    ("softmax_selected", "softmax, of the tokens", BLUE, "--"),
)
# Smallest distance between two dots of a path, in units of the axes.
DOT_DISTANCE = 0.15

# Size, in points, of the dots of the runs without guard and cancellation.
EXACT_SIZE = 2.2


def draw_paths(
    runs: dict[str, Run], *, published: RunNames, exact: RunNames, attention: ReferenceName, head: ReferenceName,
    radius: Positive = 100,
) -> Figure:  # fmt: skip
    """Draw one panel per exponent with two paths: the first two entries of W, and the first two of the head.

    A dashed line in the color of a path has the direction of its SVM. Distances r from the origin are drawn as
    log10(1 + r), so that directions are visible near the origin and far out.

    published: runs whose paths are lines. exact: runs of the same exponents without guard and cancellation, whose paths
    are dots. attention, head: references with the SVMs of W and of the head. radius: largest r to draw.
    """
    figure, row = panels(len(published), height=2.25, sharey=True)
    row = np.atleast_1d(row)
    for axes, name, other in zip(row, published, exact, strict=True):
        _draw_circles(axes, radius)
        for parameter, reference, color, labels in (
            ("W", attention, BLUE, ("path of $W$", r"direction of $\ell_p$-AttSVM")),
            ("v", head, GREEN, ("path of $v$", r"direction of $\ell_p$-SVM")),
        ):
            run = runs[name]
            target = run.references[reference]["weights"][0, :2]
            end = _shrink(radius * target / np.linalg.norm(target))
            axes.plot([0, end[0]], [0, end[1]], color=color, ls="--", lw=0.8, label=labels[1])
            path = run.trajectory[parameter][:, 0, 0, :2]
            axes.plot(*_shrink(path).T, color=color, label=labels[0])
            axes.plot(*_shrink(path[-1]), "o", color=color, ms=3.2, zorder=4)
            later = runs[other].trajectory[parameter][1:, 0, 0, :2]
            later = later[np.linalg.norm(later, axis=1) < radius]
            axes.plot(*_spaced(_shrink(later)).T, "o", color=INK, ms=EXACT_SIZE, mec="none", zorder=3)
        starts(axes, np.zeros((1, 2)), None)
        axes.set(title=f"$p = {exponent(runs[name]):g}$", xlabel="$W_{0,0}$, $v_0$", aspect="equal")
    row[0].set_ylabel("$W_{0,1}$, $v_1$")
    handles = row[0].get_legend_handles_labels()[0]
    handles += [
        Line2D([], [], **START, label="start"),
        Line2D([], [], color=GRAY, marker="o", ls="", ms=3.2, label="end"),
        Line2D([], [], color=INK, marker="o", ls="", ms=EXACT_SIZE, mec="none", label="exact arithmetic"),
    ]
    legend(figure, handles, columns=4)
    return figure


def _shrink(points: Array) -> Array:
    """Return points (..., 2) with their distances r from the origin replaced by log10(1 + r)."""
    distance = np.linalg.norm(points, axis=-1, keepdims=True)
    return np.log10(1 + distance) * points / np.where(distance > 0, distance, 1)


def _spaced(points: Array) -> Array:
    """Return some of the points (k, 2) of a path, in order, so that successive ones are at least DOT_DISTANCE apart."""
    kept = list(points[:1])
    for point in points:
        if np.linalg.norm(point - kept[-1]) >= DOT_DISTANCE:
            kept.append(point)
    return np.reshape(kept, (-1, 2))


def _draw_circles(axes: Axes, radius: float) -> None:
    """Draw lines through the origin, and circles at the powers of ten up to ``radius``, in place of ticks."""
    edge = float(np.log10(1 + radius))
    turn = np.linspace(0, 2 * np.pi, 200)
    circle = np.column_stack([np.cos(turn), np.sin(turn)])
    for power in range(int(np.log10(radius)) + 1):
        axes.plot(*_shrink(10**power * circle).T, color=FAINT, lw=0.5, zorder=1)
        x, y = _shrink(10**power * np.array([0.8, 0.6]))
        gap = [withStroke(linewidth=4, foreground="#FFFFFF")]
        axes.text(
            x, y, f"{10**power}", ha="center", va="center", fontsize=SMALL_FONT_SIZE, color=GRAY, path_effects=gap
        )
    axes.axhline(0, color=GRID, lw=0.5, zorder=1)
    axes.axvline(0, color=GRID, lw=0.5, zorder=1)
    axes.grid(visible=False)
    axes.set(xticks=[], yticks=[], xlim=(-1.05 * edge, 1.05 * edge), ylim=(-1.05 * edge, 1.05 * edge))
    axes.spines[["left", "bottom"]].set_visible(False)


def draw_probabilities(runs: dict[str, Run], *, until: RecordedStep) -> Figure:
    """Draw one panel per run: probabilities of the selected tokens, up to the iteration ``until``."""
    figure, row = panels(len(runs), height=1.7, sharey=True)
    row = np.atleast_1d(row)
    for axes, run in zip(row, runs.values(), strict=True):
        end = run.at(until) + 1
        for series, label, color, dashes in PROBABILITIES:
            axes.plot(run.steps[:end], run.series[series][:end, 0, 0], color=color, ls=dashes, label=label)
        axes.set(title=f"$p = {exponent(run):g}$", xlabel="iteration $k$", xlim=(0, until))
    row[0].set(ylabel="probability of\nthe selected tokens", ylim=(0.3, 1.02))
    legend(figure, row[0])
    return figure

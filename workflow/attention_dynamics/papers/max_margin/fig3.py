"""Fig 3: joint training of the prompt p and the head v."""

import itertools
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_dynamics.plots import planar
from attention_dynamics.plots.panels import TargetPanels, Zoom
from attention_dynamics.plots.style import COLORS, FAINT, GRAY, INK, ORANGE, legend, panels
from attention_dynamics.run import Run
from attention_dynamics.types import Interval, RecordedStep, ReferenceName, RunName

# The paper draws the first 200 iterates.
LAST_DRAWN_STEP = RecordedStep(200)
DIRECTIONS = {
    "gmm": r"$p^{\mathrm{mm}}$ (ATT-SVM)",
    "relaxed": r"$p^{\mathrm{relax}}$ (eq. 10)",
    "head": r"$v^{\mathrm{mm}}$ (SVM)",
}
# Markers of the optimal tokens, one for each input. Their colors are the same, because colors stand for p and v.
SHAPES = ("^", "v", "s", "D")
# Series, color, label and line style. The colors differ from those of p and v in the other panels.
PROBABILITIES = (
    ("softmax_optimal", INK, "softmax, optimal tokens", "-"),
    ("logistic", ORANGE, "logistic, labels", "--"),
)


def draw_paths(
    run: Run, *, target: ReferenceName, contrast: ReferenceName | None = None, xlim: Interval,
    ylim: Interval, zoom: Zoom | None = None, last_step: RecordedStep = LAST_DRAWN_STEP,
) -> Figure:  # fmt: skip
    """Draw the paths of p and v, the directions that they should reach, and the tokens (Figs 3a and 3b).

    target: the direction that p should reach. contrast: a direction that p should not reach. zoom: part of the plane to
    draw again, larger. last_step: the last step to draw.
    """
    figure, axes = planar.plane_panels(1, xlim, ylim, extra=0.38, name="coordinate")
    _draw_paths(axes, run, target, contrast, zoom, last_step)
    legend(figure, place="below", columns=2)
    return figure


def draw_probabilities(run: Run, *, last_step: RecordedStep = LAST_DRAWN_STEP) -> Figure:
    """Draw the mean softmax probability of the optimal tokens and the mean logistic probability of the labels (Fig 3c).

    last_step: the last step to draw.
    """
    figure, axes = panels(height=2.0)
    _draw_probabilities(axes, run, last_step)
    return figure


def draw_all(
    runs: dict[str, Run], *, panel: TargetPanels, probabilities: RunName, xlim: Interval, ylim: Interval,
    zoom: Zoom | None = None, last_step: RecordedStep = LAST_DRAWN_STEP,
) -> Figure:  # fmt: skip
    """Draw the paths of several runs, a panel per entry of ``panel``, and the probabilities of one run.

    probabilities: the run for the last panel. zoom: part of the planes to draw again, larger. last_step: the last step
    to draw.
    """
    figure, row = panels(len(panel) + 1, height=2.15)
    for axes, one in zip(row, panel, strict=False):
        planar.plane(axes, xlim, ylim, "coordinate")
        axes.set_yticks(range(0, int(ylim[1]) + 1, 5))
        _draw_paths(axes, runs[one.run], one.target, one.contrast, zoom, last_step)
    _draw_probabilities(row[-1], runs[probabilities], last_step)
    row[-1].set_box_aspect((ylim[1] - ylim[0]) / (xlim[1] - xlim[0]))
    legend(figure, list(row[:-1]), place="below", columns=4)
    return figure


def _draw_paths(
    axes: Axes, run: Run, target: str, contrast: str | None, zoom: Zoom | None, last_step: RecordedStep
) -> None:
    last = run.at(last_step) + 1
    planes = planar.with_enlarged(axes, zoom)
    for parameter, reference in (("p", target), ("v", "head")):
        color, path = COLORS[parameter], run.trajectory[parameter][:last, 0, 0]
        for plane, _ in planes:
            planar.trajectory(plane, path, color=color, label=f"${parameter}(t)$")
            planar.starts(plane, path[:1], "start" if parameter == "p" else None)
            planar.ray(plane, run.references[reference]["direction"][0], color)
    if contrast:
        for plane, _ in planes:
            planar.ray(plane, run.references[contrast]["direction"][0], GRAY, dashes=":")
        _label(axes, run, contrast, GRAY, at=0.8)
    _label(axes, run, target, COLORS["p"], at=0.62 if contrast else 0.8, side=-1 if contrast else 1)
    # The gap is larger here, because the path of v crosses its direction and stays near it.
    _label(axes, run, "head", COLORS["v"], side=-1, gap=7)
    for plane, size in planes:
        _draw_tokens(plane, run, size)


def _label(axes: Axes, run: Run, reference: str, color: str, **place: Any) -> None:
    """Write the name of a reference beside its direction. place: arguments of ``planar.label_ray``."""
    planar.label_ray(axes, run.references[reference]["direction"][0], DIRECTIONS[reference], color, **place)


def _draw_tokens(axes: Axes, run: Run, size: float) -> None:
    for i, marker in zip(range(len(run.problem.labels[0])), itertools.cycle(SHAPES), strict=False):
        optimal, other = run.problem.keys[0, i]
        label = f"optimal, input {i + 1}, $Y = {run.problem.labels[0, i]:+g}$"
        planar.token(axes, optimal, FAINT, marker, label, size)
    planar.token(axes, other, INK, "o", "not optimal, all inputs", size)


def _draw_probabilities(axes: Axes, run: Run, last_step: RecordedStep) -> None:
    last = run.at(last_step) + 1
    for series, color, label, line in PROBABILITIES:
        axes.plot(run.steps[:last], run.series[series][:last, 0, 0], line, color=color, label=label)
    axes.set(xlabel="iteration $t$", ylabel="mean probability", xlim=(0, last_step), ylim=(0.35, 1.02))
    axes.locator_params(axis="x", nbins=4, steps=[1, 2, 5, 10])
    axes.legend(loc="lower right", handlelength=1.2, borderaxespad=0.2)

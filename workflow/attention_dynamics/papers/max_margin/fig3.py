"""Fig 3: joint training of the prompt p and the head v."""

import itertools

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_dynamics.plots import planar
from attention_dynamics.plots.panels import TargetPanels
from attention_dynamics.plots.style import COLORS, GRAY, INK, INPUT_COLORS, legend, panels
from attention_dynamics.run import Run, single_run
from attention_dynamics.types import Interval, RecordedStep, ReferenceName, RunName

# The paper draws the first 200 iterates.
LAST_DRAWN_STEP = RecordedStep(200)
DIRECTIONS = {
    "gmm": r"$p^{\mathrm{mm}}$ (ATT-SVM)",
    "relaxed": r"$p^{\mathrm{relax}}$ (eq. 10)",
    "head": r"$v^{\mathrm{mm}}$ (SVM)",
}
PROBABILITIES = (("softmax_optimal", "p", "softmax probability", "-"), ("logistic", "v", "logistic probability", "--"))


def draw_paths(
    runs: dict[str, Run], *, target: ReferenceName, contrast: ReferenceName | None = None, xlim: Interval,
    ylim: Interval, last_step: RecordedStep = LAST_DRAWN_STEP,
) -> Figure:  # fmt: skip
    """Draw the paths of p and v, the directions that they should reach, and the tokens (Figs 3a and 3b).

    target: the direction that p should reach. contrast: one that it should not. last_step: the last step to draw.
    """
    figure, axes = planar.plane_panels(1, xlim, ylim, extra=0.38, name="coordinate")
    _draw_paths(axes, single_run(runs), target, contrast, last_step)
    legend(figure, place="below", columns=2)
    return figure


def draw_probabilities(runs: dict[str, Run], *, last_step: RecordedStep = LAST_DRAWN_STEP) -> Figure:
    """Draw softmax probability of the optimal tokens and logistic probability of the labels, means over the inputs.

    last_step: the last step to draw (Fig 3c).
    """
    figure, axes = panels(height=2.0)
    _draw_probabilities(axes, single_run(runs), last_step)
    return figure


def draw_all(
    runs: dict[str, Run], *, panel: TargetPanels, probabilities: RunName, xlim: Interval, ylim: Interval,
    last_step: RecordedStep = LAST_DRAWN_STEP,
) -> Figure:  # fmt: skip
    """Draw the paths of several runs and the probabilities of one side by side, up to step ``last_step``."""
    figure, row = panels(len(panel) + 1, height=2.15)
    for axes, one in zip(row, panel, strict=False):
        planar.plane(axes, xlim, ylim, "coordinate")
        _draw_paths(axes, runs[one.run], one.target, one.contrast, last_step)
    _draw_probabilities(row[-1], runs[probabilities], last_step)
    legend(figure, list(row[:-1]), place="below", columns=4)
    return figure


def _draw_paths(axes: Axes, run: Run, target: str, contrast: str | None, last_step: RecordedStep) -> None:
    last = run.at(last_step) + 1
    for parameter, reference, side in (("p", target, -1 if contrast else 1), ("v", "head", -1)):
        color, path = COLORS[parameter], run.trajectory[parameter][:last, 0, 0]
        planar.trajectory(axes, path, color=color, label=f"${parameter}(t)$")
        planar.starts(axes, path[:1], "start" if parameter == "p" else None)
        direction = run.references[reference]["direction"][0]
        planar.ray(axes, direction, color)
        planar.label_ray(axes, direction, DIRECTIONS[reference], color, at=0.62 if parameter == "p" else 0.8, side=side)
    if contrast:
        direction = run.references[contrast]["direction"][0]
        planar.ray(axes, direction, GRAY, dashes=":")
        planar.label_ray(axes, direction, DIRECTIONS[contrast], GRAY, at=0.62)
    for i, color in zip(range(len(run.problem.labels[0])), itertools.cycle(INPUT_COLORS), strict=False):
        optimal, other = run.problem.keys[0, i]
        label = f"$x = ({optimal[0]:g},\\,{optimal[1]:g})$, $Y = {run.problem.labels[0, i]:+g}$"
        planar.token(axes, optimal, color, "*", label)
    planar.token(axes, other, INK, "o", "$x = (0,\\,0)$, all inputs")


def _draw_probabilities(axes: Axes, run: Run, last_step: RecordedStep) -> None:
    last = run.at(last_step) + 1
    for series, parameter, label, line in PROBABILITIES:
        axes.plot(run.steps[:last], run.series[series][:last, 0, 0], line, color=COLORS[parameter], label=label)
    axes.set(xlabel="iteration $t$", ylabel="probability", xlim=(0, last_step), ylim=(0.35, 1.02))
    axes.locator_params(axis="x", nbins=4, steps=[1, 2, 5, 10])
    axes.legend(loc="lower right")

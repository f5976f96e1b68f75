"""Fig 3: joint training of the prompt p and the head v."""

import itertools

from matplotlib.figure import Figure

from attention_dynamics.plots import planar
from attention_dynamics.plots.style import COLORS, GRAY, INK, INPUT_COLORS, panels
from attention_dynamics.run import Run, single_run
from attention_dynamics.types import Interval, RecordedStep, ReferenceName

# The paper draws the first 200 iterates.
LAST_DRAWN_STEP = RecordedStep(200)
DIRECTIONS = {"gmm": r"$p^{mm}$ (ATT-SVM)", "relaxed": r"$p^{relax}$ (eq. 10)", "head": r"$v^{mm}$ (SVM)"}


def draw_paths(
    runs: dict[str, Run], *, target: ReferenceName, contrast: ReferenceName | None = None, xlim: Interval,
    ylim: Interval, shown: RecordedStep = LAST_DRAWN_STEP,
) -> Figure:  # fmt: skip
    """Draw the paths of p and v, the directions that they should reach, and the tokens (Figs 3a and 3b).

    target: the direction that p should reach. contrast: one that it should not. shown: the last step to draw.
    """
    run = single_run(runs)
    figure, axes = panels(5.4, 4.8)
    planar.plane(axes, xlim, ylim, "coordinate")
    last = run.at(shown) + 1
    for parameter, reference in (("p", target), ("v", "head")):
        color = COLORS[parameter]
        planar.trajectory(axes, run.trajectory[parameter][:last, 0, 0], color=color, label=f"${parameter}(t)$")
        planar.ray(axes, run.references[reference]["direction"][0], color, DIRECTIONS[reference])
    if contrast:
        planar.ray(axes, run.references[contrast]["direction"][0], GRAY, DIRECTIONS[contrast])
    for i, color in zip(range(len(run.problem.labels[0])), itertools.cycle(INPUT_COLORS), strict=False):
        optimal, other = run.problem.keys[0, i]
        label = f"$x = ({optimal[0]:g}, {optimal[1]:g})$, $Y = {run.problem.labels[0, i]:+g}$"
        planar.token(axes, optimal, color, "*", label)
    planar.token(axes, other, INK, "o", "$x = (0, 0)$ of every input")
    axes.legend(loc="upper right", fontsize=8)
    return figure


def draw_probabilities(runs: dict[str, Run], *, shown: RecordedStep = LAST_DRAWN_STEP) -> Figure:
    """Draw softmax probability of the optimal tokens and logistic probability of the labels, means over the inputs.

    shown: the last step to draw (Fig 3c).
    """
    run = single_run(runs)
    figure, axes = panels()
    last = run.at(shown) + 1
    for series, color, label, line in (
        ("softmax_optimal", COLORS["p"], "softmax probability", "-"),
        ("logistic", COLORS["v"], "logistic probability", "--"),
    ):
        axes.plot(run.steps[:last], run.series[series][:last, 0, 0], line, color=color, label=label)
    axes.set(xlabel="iterations", ylabel="probabilities", xlim=(0, shown), ylim=(0.35, 1.02))
    axes.set_xticks(range(0, shown, 50))
    axes.legend(loc="lower right")
    return figure

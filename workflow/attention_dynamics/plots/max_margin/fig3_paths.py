"""Figures 3a and 3b: joint training of the head v and the prompt p, and the directions they should reach."""

import itertools

from matplotlib.figure import Figure

from attention_dynamics.plots import planar
from attention_dynamics.plots.style import COLORS, GRAY, INK, INPUT_COLORS, panels
from attention_dynamics.run import Run, single_run
from attention_dynamics.types import Interval, RecordedStep, ReferenceName


def draw(
    runs: dict[str, Run], *, target: ReferenceName, contrast: ReferenceName | None = None, xlim: Interval,
    ylim: Interval, shown: RecordedStep = 200,
) -> Figure:  # fmt: skip
    """One panel. target: the direction that p should reach; contrast: one that it should not."""
    run = single_run(runs)
    figure, axes = panels(5.4, 4.8)
    planar.plane(axes, xlim, ylim, "coordinate")
    last = run.at(shown) + 1
    names = {"gmm": r"$p^{mm}$ (ATT-SVM)", "relaxed": r"$p^{relax}$ (eq. 10)", "head": r"$v^{mm}$ (SVM)"}
    for parameter, reference in (("p", target), ("v", "head")):
        color = COLORS[parameter]
        planar.trajectory(axes, run.trajectory[parameter][:last, 0, 0], color=color, label=f"${parameter}(t)$")
        planar.ray(axes, run.references[reference]["direction"][0], color, names[reference])
    if contrast:
        planar.ray(axes, run.references[contrast]["direction"][0], GRAY, names[contrast])
    for i, color in zip(range(len(run.problem.labels[0])), itertools.cycle(INPUT_COLORS), strict=False):
        optimal, other = run.problem.keys[0, i]
        label = f"$x = ({optimal[0]:g}, {optimal[1]:g})$, $Y = {run.problem.labels[0, i]:+g}$"
        planar.token(axes, optimal, color, "*", label)
    planar.token(axes, other, INK, "o", "$x = (0, 0)$ of every input")
    axes.legend(loc="upper right", fontsize=8)
    return figure

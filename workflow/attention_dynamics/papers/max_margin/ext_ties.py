"""Extension: an input with two optimal tokens has two max-margin solutions; the start decides between them."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_dynamics.margins.selection import tied_optimal
from attention_dynamics.measures.limit import prompt_references
from attention_dynamics.plots import planar
from attention_dynamics.plots.style import FAINT, GREEN, INK, ORANGE, PURPLE, SKY, legend
from attention_dynamics.run import Run
from attention_dynamics.types import Interval, RecordedStep, ReferencePair, RunName

# Of two equal solutions: not those of GMM and LMM.
COLORS = (PURPLE, SKY)
LAST_DRAWN_STEP = RecordedStep(100)


def draw(
    runs: dict[str, Run], *, solutions: ReferencePair, grid: RunName, inside: RunName, path: RunName,
    xlim: Interval, ylim: Interval, last_step: RecordedStep = LAST_DRAWN_STEP,
) -> Figure:  # fmt: skip
    """Draw a grid of starts, coloured by the solution that each ends in, some trajectories, and a regularization path.

    solutions: the two references that solve ATT-SVM'. grid: the run with these starts. inside: the run with the
    trajectories. path: the regularization path. last_step: the last step of the trajectories.
    """
    figure, axes = planar.plane_panels(1, xlim, ylim, width=3.6, extra=0.75)
    run = runs[grid]
    numbers = prompt_references(run)
    styles = {-1: (FAINT, "no limit yet")}
    for name, color in zip(solutions, COLORS, strict=True):
        weights = ", ".join(f"{w:.4g}" for w in run.references[name]["weights"][0, :2])
        styles[numbers.index(name)] = color, f"starts that reach $({weights})$"
    planar.basins(axes, run.trajectory["p"][0, 0], run.series["limit"][-1, 0], styles)
    planar.plane(axes, xlim, ylim)
    for name, color in zip(solutions, COLORS, strict=True):
        norm = float(run.references[name]["norm"][0])
        planar.ray(
            axes,
            run.references[name]["direction"][0],
            color,
            rf"direction of a solution, $\|p^{{\mathrm{{mm}}}}\| = {norm:.4g}$",
        )
    trained = runs[inside]
    for k, line in enumerate(np.moveaxis(trained.trajectory["p"][: trained.at(last_step) + 1, 0], 1, 0)):
        planar.trajectory(axes, line, color=INK, arrow_every=15, label="gradient descent" if k == 0 else None)
        planar.starts(axes, line[:1], "$p(0)$" if k == 0 else None)
    points = runs[path].trajectory["p"][1:, 0, 0, :2]
    axes.plot(*points.T, "D-", color=INK, ms=2.5, lw=0.8, mfc="#FFFFFF", mew=0.6, zorder=5,
              label=r"regularization path $\bar{p}(R)$")  # fmt: skip
    _tokens(axes, run)
    legend(figure, place="below", columns=2)
    return figure


def _tokens(axes: Axes, run: Run) -> None:
    keys, scores = run.problem.keys[0], run.problem.scores()[0]
    optimal = tied_optimal(scores)
    for i, color in zip(range(len(keys)), (GREEN, ORANGE), strict=False):
        for t in np.argsort(~optimal[i], kind="stable"):
            first = t == np.flatnonzero(optimal[i] == optimal[i, t])[0]
            label = rf"input {i + 1}, {'optimal' if optimal[i, t] else 'other'}, $\gamma = {scores[i, t]:g}$"
            planar.token(axes, keys[i, t], color, "*" if optimal[i, t] else "^", label if first else None)

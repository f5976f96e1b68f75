"""Extension: an input with two optimal tokens has two max-margin solutions; the start decides between them."""

import numpy as np
from matplotlib.figure import Figure

from attention_dynamics.measures.limit import prompt_references
from attention_dynamics.papers.max_margin.tied_tokens import draw_tokens
from attention_dynamics.plots import planar
from attention_dynamics.plots.style import FAINT, INK, PURPLE, SKY, legend, panels
from attention_dynamics.run import Run
from attention_dynamics.types import Interval, RecordedStep, ReferencePair, RunName

# Colors of the two solutions, which have equal norms. The colors of GMM and LMM would suggest that one is better.
COLORS = (PURPLE, SKY)
LAST_DRAWN_STEP = RecordedStep(100)
# Width in print, in inches.
WIDTH = 4.0


def draw(
    runs: dict[str, Run], *, solutions: ReferencePair, grid: RunName, inside: RunName, path: RunName,
    xlim: Interval, ylim: Interval, last_step: RecordedStep = LAST_DRAWN_STEP,
) -> Figure:  # fmt: skip
    """Draw starts colored by the solution that gradient descent reaches, some trajectories, and a regularization path.

    solutions: the two references that solve ATT-SVM'. grid: the run from the grid of starts. inside: the run whose
    trajectories are drawn, up to step ``last_step``. path: the run with the regularization path.
    """
    figure, axes = panels(width=WIDTH, height=4.1)
    planar.plane(axes, xlim, ylim)
    run = runs[grid]
    numbers = prompt_references(run)
    styles = {-1: (FAINT, "no limit yet")}
    for name, color in zip(solutions, COLORS, strict=True):
        reference = run.references[name]
        weights = f"({', '.join(f'{weight:.4g}' for weight in reference['weights'][0, :2])})"
        styles[numbers.index(name)] = color, f"starts that reach ${weights}$"
        label = rf"solution ${weights}$, of norm {reference['norm'][0]:.4g}"
        planar.ray(axes, reference["direction"][0], color, label)
    planar.basins(axes, run.trajectory["p"][0, 0], run.series["limit"][-1, 0], styles)
    planar.plane(axes, xlim, ylim)
    trained = runs[inside]
    for k, line in enumerate(np.moveaxis(trained.trajectory["p"][: trained.at(last_step) + 1, 0], 1, 0)):
        planar.trajectory(axes, line, color=INK, arrow_every=15, label="gradient descent" if k == 0 else None)
        planar.starts(axes, line[:1], "$p(0)$" if k == 0 else None)
    points = runs[path].trajectory["p"][1:, 0, 0, :2]
    axes.plot(*points.T, "D-", color=INK, ms=2.5, lw=0.8, mfc="#FFFFFF", mew=0.6, zorder=5,
              label=r"regularization path $\bar{p}(R)$")  # fmt: skip
    tokens = draw_tokens(axes, run)
    legend(figure, [*axes.get_legend_handles_labels()[0], *tokens], place="below", columns=3)
    return figure

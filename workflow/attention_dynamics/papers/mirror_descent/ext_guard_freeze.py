"""Extension: the effects of the published guard against division by zero, and of cancellation."""

import numpy as np
from matplotlib.figure import Figure

from attention_dynamics.papers.mirror_descent.exponent_styles import exponent
from attention_dynamics.plots.style import BLUE, INK, ORANGE, PURPLE, legend, panels
from attention_dynamics.run import Run
from attention_dynamics.types import ReferenceName

# (has a guard, has a cancellation-free gradient) -> label, color, dashes. Later entries are drawn on top.
STYLES = {
    (False, True): ("no guard, cancellation-free", INK, "-"),
    (True, True): ("guard, cancellation-free", BLUE, (0, (6, 2))),
    (False, False): ("no guard, textbook formula", ORANGE, "-."),
    (True, False): ("both, as published", PURPLE, (0, (1, 1.2))),
}

# First iteration to draw, because the curves coincide before it.
FIRST = 10


def draw(runs: dict[str, Run], *, reference: ReferenceName) -> Figure:
    """Draw a column of panels per exponent, with a curve for each combination of guard and arithmetic.

    Upper panels show the divergence from the SVM ``reference`` over the iterations, lower panels the norm of W.
    """
    columns = sorted({exponent(run) for run in runs.values()})
    figure, grid = panels(len(columns), 2, height=1.55, sharex=True, sharey="row")
    for p, (divergence, norm) in zip(columns, np.reshape(grid, (2, -1)).T, strict=True):
        for run in sorted((run for run in runs.values() if exponent(run) == p), key=_rank):
            label, color, dashes = STYLES[_kind(run)]
            style = {"color": color, "ls": dashes, "label": label}
            shown = run.steps >= FIRST
            divergence.plot(run.steps[shown], run.series[f"bregman_{reference}"][shown, 0, 0], **style)
            norm.plot(run.steps[shown], run.series["lp_norm_W"][shown, 0, 0], **style)
        divergence.set(title=f"$p = {p:g}$", xscale="log", yscale="log")
        norm.set(xlabel="iteration $k$", xscale="log", yscale="log")
    first = np.reshape(grid, (2, -1))[:, 0]
    first[0].set_ylabel("divergence from\n$\\ell_p$-AttSVM")
    first[1].set_ylabel(r"$\|W\|_p$")
    legend(figure, first[0], columns=2, title="guard: a number that is added to the length of the gradient")
    return figure


def _kind(run: Run) -> tuple[bool, bool]:
    return run.training.optimizer.epsilon > 0, run.training.precision == "stable"


def _rank(run: Run) -> int:
    return list(STYLES).index(_kind(run))

"""Extension: minimizers in l_p balls, and paths of constant and of normalized steps, converge to the l_p-AttSVM."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from attention_dynamics.papers.mirror_descent.exponent_styles import dashes, exponent
from attention_dynamics.plots.style import exponent_color, legend, panels
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.series.fits import fit_line
from attention_dynamics.types import ReferenceName, References, RunName, RunNames


def draw(
    runs: dict[str, Run],
    *,
    paths: RunNames,
    constant: RunName,
    normalized: RunNames,
    references: References,
    reference: ReferenceName,
) -> Figure:
    """Draw divergences from the l_p-AttSVM on logarithmic axes in three panels, a to c.

    paths: regularization paths (a: mean over the data sets against the radius). constant: a run with constant steps and
    a start for each exponent (b: mean over the data sets). normalized: runs with normalized steps on one data set (c).
    references: name of an l_p SVM -> its p, for a and b. reference: name of the SVM for c.
    """
    own = {q: name for name, q in references.items()}
    figure, (left, middle, right) = panels(3, height=2.0, sharey=True)
    for run in (runs[name] for name in paths):
        p = exponent(run)
        _draw_fitted(left, run.steps[1:], run.series[f"bregman_{own[p]}"][1:].mean((1, 2)), p, last=2)
    run = runs[constant]
    for start, p in enumerate(np.atleast_1d(run.training.optimizer.exponent)):
        _draw_fitted(middle, run.steps[1:], run.series[f"bregman_{own[p]}"][1:, :, start].mean(1), p, last=_late(run))
    for run in (runs[name] for name in normalized):
        values = run.series[f"bregman_{reference}"][1:, 0, 0]
        _draw_fitted(right, run.steps[1:], values, exponent(run), last=_late(run))
    left.set(title="regularization paths", xlabel=r"relative radius $R\,/\,\|W_{\mathrm{mm}}\|_p$")
    middle.set(title="constant steps", xlabel="iteration $k$")
    right.set(title="normalized steps", xlabel="iteration $k$")
    left.set_ylabel("Bregman divergence\n" + r"from $\ell_p$-AttSVM")
    handles = [Line2D([], [], color=exponent_color(p), ls=dashes(p), label=f"$p = {p:g}$") for p in sorted(own)]
    for axes in (left, middle, right):
        axes.set(xscale="log", yscale="log")
        # The legend above names the lines; these legends give their slopes.
        axes.legend(loc="lower left", title="late slope", alignment="left", handlelength=1.2)
    legend(figure, handles, title=f"a, b: mean of {len(runs[constant].problem.labels)} data sets; c: one data set")
    return figure


def _late(run: Run) -> int:
    """Return the number of records in the last four fifths of the iterations."""
    return len(run.steps) - int(np.searchsorted(run.steps, run.steps[-1] / 5))


def _draw_fitted(axes: Axes, x: Array, values: Array, p: float, last: int) -> None:
    """Draw the curve of exponent p. Its label is the log-log slope of a line fitted to its final ``last`` points."""
    slope = fit_line(np.log(x[-last:, None]), np.log(values[-last:, None])).slope[0]
    marker = "o" if len(x) < 10 else ""
    axes.plot(x, values, color=exponent_color(p), ls=dashes(p), marker=marker, ms=2.5, label=f"${slope:.2f}$")

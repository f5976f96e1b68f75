"""Extension: how many iterations each optimizer needs, against its step size."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from attention_dynamics.claims.results import Results
from attention_dynamics.claims.statistics import first_step_staying_above
from attention_dynamics.plots.style import GRAY, legend, optimizer_style, panels
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.types import Probability, RunName, SeriesName


def draw(
    runs: dict[str, Run], *, direction: SeriesName, attention: SeriesName, level: Probability, constant: RunName
) -> Figure:
    """Draw two panels: iterations until ``direction`` (a cosine) and ``attention`` (a probability) stay above a level.

    constant: the run whose step size is not set but computed; a horizontal band for its first start. The others train
    one start for each of their step sizes.
    """
    figure, row = panels(2, height=2.0, sharey=True)
    titles = (rf"$\cos(W,\, W_{{\mathrm{{mm}}}}) > {level:g}$", f"softmax of the optimal tokens $> {level:g}$")
    for axes, series, title in zip(row, (direction, attention), titles, strict=True):
        for name, run in runs.items():
            counts = _iterations(name, run, series, level)
            optimizer = run.training.optimizer
            color = optimizer_style(optimizer.kind)[1]
            if name == constant:
                from_zero = counts[:, 0]
                axes.axhspan(from_zero.min(), from_zero.max(), color=color, alpha=0.25, lw=0)
                axes.axhline(from_zero.mean(), color=color)
            else:
                _draw_counts(axes, np.array(optimizer.step_size), counts, run.steps[-1], color)
        axes.set(title=title, xscale="log", yscale="log", xlabel=r"step size $\eta$")
    row[0].set_ylabel("iterations until")
    styles = [optimizer_style(run.training.optimizer.kind) for run in runs.values()]
    handles = [Line2D([], [], color=color, label=name) for name, color in styles]
    label = "not reached in every data set, at the last iteration"
    handles.append(Line2D([], [], color=GRAY, ls="", marker="^", mfc="#FFFFFF", label=label))
    legend(figure, handles, title="mean and range over the data sets")
    return figure


def _iterations(name: str, run: Run, series: str, level: float) -> Array:
    """Return the iterations until the series stays above the level, (problems, starts); infinity where it does not."""
    counts = first_step_staying_above(Results(name, run)[series], level)
    return counts.reshape(run.series[series].shape[1:3])


def _draw_counts(axes: Axes, sizes: Array, counts: Array, last: int, color: str) -> None:
    """Draw mean and range over the data sets for every step size; a triangle at the end where some do not get there."""
    reached = np.isfinite(counts).all(0)
    axes.plot(sizes[reached], counts[:, reached].mean(0), "o-", color=color, ms=2.5)
    axes.fill_between(
        sizes[reached], *(f(counts[:, reached], 0) for f in (np.min, np.max)), color=color, alpha=0.18, lw=0
    )
    axes.plot(sizes[~reached], np.full((~reached).sum(), last), "^", color=color, mfc="#FFFFFF", ms=3.5)

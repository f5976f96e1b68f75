"""Extension: the iterations that each optimizer needs, against its step size and the norm of a random W(0)."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from attention_dynamics.plots.style import GRAY, INK, legend, optimizer_style, panels
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.series.statistics import first_step_staying_above
from attention_dynamics.types import Probability, ReferenceName, RunNames, SeriesName

NOT_REACHED: dict[str, Any] = {"marker": "^", "ls": "", "mfc": "#FFFFFF", "ms": 3.5}
# Horizontal distance between the marks of two optimizers, and half the width of the line at ``steps_to_forget``. The
# distance between the ticks of neighboring norms is 1.
SHIFT, HALF_WIDTH = 0.15, 0.14


def steps_to_forget(run: Run, reference: str, level: float) -> Array:
    """Return how many steps along W_mm it takes until W has the cosine ``level`` with W_mm, (problems, starts).

    W(0) is assumed to be orthogonal to W_mm, so that the steps have the total length level / sqrt(1 - level^2) |W(0)|.
    A step of NGD has the length eta, and a Polyak step |W_mm| / c once W follows W_mm. reference: name of W_mm in the
    run. Raises ValueError for other optimizers, whose steps have no constant length.
    """
    optimizer, length = run.training.optimizer, run.references[reference]["norm"][:, None]
    if optimizer.kind not in ("normalized_gd", "polyak"):
        raise ValueError(f"steps of {optimizer.kind} have no constant length")
    step = optimizer.step_size if optimizer.kind == "normalized_gd" else length / optimizer.c
    start = np.linalg.norm(run.trajectory["W"][0], axis=-1)
    return np.asarray(level / np.sqrt(1 - level**2) * start / step)


def draw(
    runs: dict[str, Run], *, sizes: RunNames, norms: RunNames, direction: SeriesName, attention: SeriesName,
    reference: ReferenceName, level: Probability,
) -> Figure:  # fmt: skip
    """Draw the iterations until ``direction`` (a cosine) and ``attention`` (a probability) stay at least ``level``.

    The first two panels show both against the step size; the third shows the direction against the norm of W(0).

    sizes: runs with a start for each of their step sizes. norms: runs with a start for each norm of W(0), zero first.
    Runs of ``norms`` whose optimizer computes its step size are horizontal bands in the first two panels.
    reference: name of W_mm, for ``steps_to_forget`` from the largest norm.
    """
    figure, row = panels(3, height=2.0, sharey=True)
    cosine = rf"$\cos(W,\, W_{{\mathrm{{mm}}}}) > {level:g}$"
    titles = (cosine, rf"mean of $s_{{\mathrm{{opt}}}} > {level:g}$")
    for axes, series, title in zip(row, (direction, attention), titles, strict=False):
        for name in (*norms, *sizes):
            counts, optimizer = _iterations(name, runs[name], series, level), runs[name].training.optimizer
            color = optimizer_style(optimizer.kind)[1]
            if name in sizes:
                _draw_counts(axes, np.array(optimizer.step_size), counts, runs[name].steps[-1], color)
            elif not hasattr(optimizer, "step_size"):
                axes.axhspan(counts[:, 0].min(), counts[:, 0].max(), color=color, alpha=0.25, lw=0)
                axes.axhline(counts[:, 0].mean(), color=color)
        axes.set(title=title, xscale="log", yscale="log", xlabel=r"step size $\eta$")
    for k, name in enumerate(norms):
        counts, shift = _iterations(name, runs[name], direction, level), SHIFT * (k - (len(norms) - 1) / 2)
        _draw_norms(row[2], runs[name], counts, shift, reference, level)
    lengths = np.linalg.norm(runs[norms[0]].trajectory["W"][0, 0], axis=-1)
    row[2].set(title=cosine, xlabel=r"norm of the start, $\|W(0)\|_F$", xlim=(-0.5, len(lengths) - 0.5))
    row[2].set_xticks(range(len(lengths)), [f"{length:g}" for length in lengths])
    row[0].set_ylabel("iterations until")
    styles = dict.fromkeys(optimizer_style(run.training.optimizer.kind) for run in runs.values())
    handles = [Line2D([], [], color=color, label=name) for name, color in styles]
    handles.append(Line2D([], [], color=INK, label=r"ideal: $W(0)$ plus steps along $W_{\mathrm{mm}}$"))
    handles.append(Line2D([], [], color=GRAY, **NOT_REACHED, label="not reached in all of them"))
    legend(figure, handles, title=f"mean and range of {len(runs[sizes[0]].problem.labels)} data sets")
    return figure


def _iterations(name: str, run: Run, series: str, level: float) -> Array:
    """Return the iterations until a series stays at least ``level``, (problems, starts); infinity if it does not."""
    counts = first_step_staying_above(run[series], level)
    return counts.reshape(run.series[series].shape[1:3])


def _draw_counts(axes: Axes, sizes: Array, counts: Array, last: int, color: str) -> None:
    """Draw mean and range over the data sets for every step size, or a triangle at ``last`` if a count is infinite.

    counts: iterations, (data sets, step sizes). last: the last iteration.
    """
    reached = np.isfinite(counts).all(0)
    axes.plot(sizes[reached], counts[:, reached].mean(0), "o-", color=color, ms=2.5)
    axes.fill_between(
        sizes[reached], *(f(counts[:, reached], 0) for f in (np.min, np.max)), color=color, alpha=0.18, lw=0
    )
    axes.plot(sizes[~reached], np.full((~reached).sum(), last), color=color, **NOT_REACHED)


def _draw_norms(axes: Axes, run: Run, counts: Array, shift: float, reference: str, level: float) -> None:
    """Draw mean and range over the data sets for every norm of W(0), and ``steps_to_forget`` from the largest norm.

    counts: iterations, (data sets, norms). shift: horizontal shift of the marks, which keeps optimizers apart. The
    steps of GD have no constant length, so GD has no ``steps_to_forget``.
    """
    color = optimizer_style(run.training.optimizer.kind)[1]
    for start, column in enumerate(counts.T):
        if np.isfinite(column).all():
            axes.vlines(start + shift, column.min(), column.max(), color=color, lw=3, alpha=0.4)
            axes.plot(start + shift, column.mean(), "o", color=color)
        else:
            axes.plot(start + shift, run.steps[-1], color=color, **NOT_REACHED)
    if run.training.optimizer.kind != "gd":
        ideal, at = steps_to_forget(run, reference, level)[:, -1].mean(), counts.shape[1] - 1 + shift
        axes.plot([at - HALF_WIDTH, at + HALF_WIDTH], [ideal, ideal], color=INK, lw=0.8, zorder=1)

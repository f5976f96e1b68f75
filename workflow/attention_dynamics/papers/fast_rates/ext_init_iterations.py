"""Extension: how many iterations each optimizer needs, against the norm of a random W(0)."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from attention_dynamics.claims.results import Results
from attention_dynamics.claims.statistics import first_step_staying_above
from attention_dynamics.papers.fast_rates.curves import optimizer_name
from attention_dynamics.plots.style import GRAY, INK, legend, optimizer_style, panels
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.types import Probability, ReferenceName, SeriesName

# Widths of the marks, in units of the distance between two norms.
SHIFT, HALF_WIDTH = 0.2, 0.08


def steps_to_forget(run: Run, reference: str, level: float) -> Array:
    """Return the iterations after which W(0) no longer holds back the cosine, (problems, starts).

    They are those after which W(0) plus steps along W_mm has the cosine ``level`` with it, if W(0) is orthogonal to it:
    their length is then ``level / sqrt(1 - level^2)`` times that of W(0). Steps of NGD have the length eta, Polyak's
    |W_mm| / c once W follows W_mm. Raises ValueError for other optimizers, whose steps have no constant length.
    """
    optimizer, length = run.training.optimizer, run.references[reference]["norm"][:, None]
    if optimizer.kind not in ("normalized_gd", "polyak"):
        raise ValueError(f"steps of {optimizer.kind} have no constant length")
    step = optimizer.step_size if optimizer.kind == "normalized_gd" else length / optimizer.c
    start = np.linalg.norm(run.trajectory["p"][0], axis=-1)
    return np.asarray(level / np.sqrt(1 - level**2) * start / step)


def draw(
    runs: dict[str, Run], *, direction: SeriesName, attention: SeriesName, reference: ReferenceName, level: Probability
) -> Figure:
    """Draw two panels: iterations until ``direction`` (a cosine) and ``attention`` (a probability) stay above a level.

    reference: W_mm, for ``steps_to_forget``, which the first panel shows for the largest W(0).
    """
    figure, row = panels(2, height=2.0, sharey=True)
    norms = np.linalg.norm(next(iter(runs.values())).trajectory["p"][0, 0], axis=-1)
    titles = (
        rf"$\cos(W,\, W_{{\mathrm{{mm}}}}) > {level:g}$", rf"mean of $s_{{\mathrm{{opt}}}} > {level:g}$",
    )  # fmt: skip
    for axes, series, title in zip(row, (direction, attention), titles, strict=True):
        for k, (name, run) in enumerate(runs.items()):
            counts = first_step_staying_above(Results(name, run)[series], level)
            _draw_counts(axes, run, counts.reshape(-1, len(norms)), shift=SHIFT * (k - 1))
        axes.set(title=title, yscale="log", xlabel=r"norm of the start, $\|W(0)\|_F$")
        axes.set_xticks(range(len(norms)), [f"{norm:g}" for norm in norms])
    row[0].set_ylabel("iterations until")
    for k, run in enumerate(runs.values()):
        if run.training.optimizer.kind != "gd":
            expected, at = steps_to_forget(run, reference, level)[:, -1].mean(), len(norms) - 1 + SHIFT * (k - 1)
            row[0].plot([at - HALF_WIDTH, at + HALF_WIDTH], [expected, expected], color=INK, lw=1.0)
    handles = [
        Line2D(
            [], [], color=optimizer_style(run.training.optimizer.kind)[1], marker="o", ls="", label=optimizer_name(run)
        )
        for run in runs.values()
    ]
    handles.append(Line2D([], [], color=INK, lw=1.0, label=r"$W(0)$ plus steps along $W_{\mathrm{mm}}$"))
    handles.append(Line2D([], [], color=GRAY, ls="", marker="^", mfc="#FFFFFF", label="not reached in every data set"))
    legend(figure, handles, columns=3, title="mean and range over the data sets")
    return figure


def _draw_counts(axes: Axes, run: Run, counts: Array, shift: float) -> None:
    """Draw mean and range of the counts (problems, starts); a triangle at the end where some do not get there."""
    color = optimizer_style(run.training.optimizer.kind)[1]
    for start, column in enumerate(counts.T):
        at = start + shift
        if np.isfinite(column).all():
            axes.vlines(at, column.min(), column.max(), color=color, lw=3, alpha=0.4)
            axes.plot(at, column.mean(), "o", color=color, ms=3)
        else:
            axes.plot(at, run.steps[-1], "^", color=color, mfc="#FFFFFF", ms=3.5)

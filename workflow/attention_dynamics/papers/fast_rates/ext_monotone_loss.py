"""Extension: by how much the loss falls in every iteration."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from attention_dynamics.papers.fast_rates.curves import optimizer_name
from attention_dynamics.plots.style import INK, legend, optimizer_style, panels
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.types import ReferenceName


def falls(run: Run) -> Array:
    """Return the fall of ln(L - inf L) in every iteration, (records - 1, problems, starts).

    Raises ValueError for a run that does not record every iteration.
    """
    if (np.diff(run.steps) != 1).any():
        raise ValueError("the fall in every iteration needs a record of every iteration")
    return np.asarray(-np.diff(run.series["log_gap"], axis=0))


def late_falls(run: Run, reference: str) -> Array:
    """Return the limits of ``falls`` once W has the direction of W_mm, (records - 1, problems).

    The gap is then C exp(-|W| / |W_mm|), so that they are 1 / t under GD, eta / |W_mm| under NGD, and 1 / c under the
    Polyak step. Raises ValueError for other optimizers.
    """
    optimizer, length = run.training.optimizer, run.references[reference]["norm"]
    match optimizer.kind:
        case "gd":
            limits = 1 / run.steps[1:, None]
        case "normalized_gd":
            limits = optimizer.step_size / length
        case "polyak":
            limits = 1 / optimizer.c
        case kind:
            raise ValueError(f"the late falls of {kind} are not known")
    return np.broadcast_to(limits, (len(run.steps) - 1, len(length)))


def draw(runs: dict[str, Run], *, reference: ReferenceName) -> Figure:
    """Draw the falls from the first start on, mean and range over the data sets, and their limits.

    reference: W_mm.
    """
    figure, axes = panels(height=2.2, width=4.0)
    for run in runs.values():
        values, steps = falls(run)[:, :, 0], run.steps[1:]
        color = optimizer_style(run.training.optimizer.kind)[1]
        axes.fill_between(steps, values.min(1), values.max(1), color=color, alpha=0.25, lw=0)
        axes.plot(steps, values.mean(1), color=color)
        late = steps >= steps[-1] / 10
        axes.plot(steps[late], late_falls(run, reference).mean(1)[late], color=INK, lw=0.9, ls=(0, (4, 2)), zorder=4)
    axes.set(xscale="log", yscale="log", ylim=(1e-4, 3), xlabel="iteration $t$", ylabel=r"fall of $\ln(L - \inf L)$")
    handles = [
        Line2D([], [], color=optimizer_style(run.training.optimizer.kind)[1], label=optimizer_name(run))
        for run in runs.values()
    ]
    handles.append(Line2D([], [], color=INK, lw=0.9, ls=(0, (4, 2)), label="late rate, derived"))
    legend(figure, handles, title="mean and range over the data sets")
    return figure

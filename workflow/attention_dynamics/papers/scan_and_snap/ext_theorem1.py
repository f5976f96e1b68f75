"""Extension: coefficients of the gradient that the decoder passes to attention (Theorem 1)."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_dynamics.plots.style import BLUE, GREEN, INK, ORANGE, legend, panels
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run

# The figure begins at this step, or at a tenth of the last step if that is earlier. Before this step, the coefficients
# jump from step to step.
FIRST = 100


def draw(run: Run) -> Figure:
    """Draw the distances of iota and beta from their limits, and the net push xi, over the steps.

    iota and beta are the coefficients of Theorem 1, divided by their limits in the proof, where the number of tokens M
    is infinite. Their distances are from the limits for the M of the problem. Solid lines are medians over the classes
    (for beta, over pairs of classes), and bands are ranges. Dashed lines are the median distances between the limits
    for this M and the limits in the proof.
    """
    figure, row = panels(3, height=2.0)
    later = run.steps >= min(FIRST, run.steps[-1] / 10)
    steps = run.steps[later]
    for axes, name, color in zip(row, ("iota", "beta"), (BLUE, ORANGE), strict=False):
        limit = run.series[f"{name}_limit"][-1, 0]
        _draw_middle(axes, steps, np.abs(run.series[name][later, 0] - limit), color)
        axes.axhline(
            np.median(np.abs(limit - 1)),
            color=INK,
            ls="--",
            lw=0.8,
            label="distance of this limit from that of the proof, for $M \\to \\infty$",
        )
    _draw_middle(row[2], steps, run.series["xi"][later, 0], GREEN)
    M, classes = run.problem.probabilities.shape[-1], run.series["iota"].shape[-1]
    pairs = run.series["beta"].shape[-1]
    for axes in row:
        axes.set(xscale="log", yscale="log", xlabel="step $t$")
    row[0].set(title=f"own class, {classes} classes", ylabel="relative pull, distance\nfrom its limit for this $M$")
    row[1].set(title=f"others, {pairs} pairs", ylabel="relative push, distance\nfrom its limit for this $M$")
    row[2].set(title="net push", ylabel=r"net push $\xi_n$")
    legend(figure, row[0], title=f"line and band: median and range; $M = {M}$")
    return figure


def _draw_middle(axes: Axes, steps: Array, values: Array, color: str) -> None:
    """Draw the median and range of k values over the steps. values: (records, k)."""
    axes.fill_between(steps, values.min(1), values.max(1), color=color, alpha=0.2, lw=0)
    axes.plot(steps, np.median(values, axis=1), color=color)

"""Extension: coefficients of the gradient that the decoder hands to attention (Theorem 1)."""

import numpy as np
from matplotlib.figure import Figure

from attention_dynamics.plots.style import BLUE, GREEN, INK, ORANGE, legend, panels
from attention_dynamics.run import Run, single_run


def draw(runs: dict[str, Run]) -> Figure:
    """Draw iota and beta relative to their values for M = infinity, with their limits for the M at hand, and xi."""
    run = single_run(runs)
    figure, row = panels(3, height=2.0)
    row[1].sharey(row[0])
    steps = run.steps[1:]
    for axes, (name, color) in zip(row, {"iota": BLUE, "beta": ORANGE, "xi": GREEN}.items(), strict=True):
        axes.plot(steps, run.series[name][1:, 0], color=color, lw=0.5, alpha=0.7)
        axes.set(xscale="log", xlabel="step $t$")
    label = rf"limit for $t \to \infty$ at $M = {run.problem.probabilities.shape[-1]}$"
    for axes, name in zip(row, ("iota_limit", "beta_limit"), strict=False):
        for limit in np.unique(run.series[name][-1, 0].round(6)):
            axes.axhline(limit, color=INK, ls="--", lw=0.8, label=label)
        axes.axhline(1, color=INK, ls=":", lw=0.8, label=r"limit for $t, M \to \infty$")
    legend(figure, row[0])
    row[0].set(title="own class", ylabel="relative pull\n" + r"$\iota_n / (1 - E_{nn}')$")
    row[1].set(title="other classes", ylabel="relative push\n" + r"$\beta_{nn'} / E_{nn'}'$")
    # Positive, but close to zero at both ends.
    row[2].set(title="net push", ylabel=r"net push $\xi_n$", yscale="log")
    return figure

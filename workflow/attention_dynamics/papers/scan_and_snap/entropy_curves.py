"""Entropy of attention, share of common tokens and loss over training, for several learning rates."""

import numpy as np
from matplotlib.figure import Figure

from attention_dynamics.papers.scan_and_snap.learning_rates import pairs, style
from attention_dynamics.plots.style import panels
from attention_dynamics.run import Run, single_run

TITLES = {
    "distinct_entropy": "entropy of $c_n$ on distinct tokens",
    "common_mass": "share of common tokens",
    "loss": "loss",
}


def draw(runs: dict[str, Run], *, log_time: bool = False) -> Figure:
    """Draw three panels over the iterations: median over the seeds, and the quartiles around it.

    log_time: use a logarithmic axis for the iterations.
    """
    run = single_run(runs)
    figure, row = panels(3.6, 3.0, len(TITLES))
    first = 1 if log_time else 0
    for axes, (name, title) in zip(row, TITLES.items(), strict=True):
        for k, ((_, ratio), pair) in enumerate(pairs(run).items()):
            low, middle, high = np.quantile(run.series[name][first:, :, pair], (0.25, 0.5, 0.75), axis=1)
            color = style(k)["color"]
            axes.plot(run.steps[first:], middle, color=color, label=f"{ratio:g}")
            axes.fill_between(run.steps[first:], low, high, color=color, alpha=0.25, lw=0)
        axes.set(title=title, xlabel="iterations", xscale="log" if log_time else "linear")
    row[-1].set(yscale="log")
    row[-1].legend(title=r"$\eta_Y/\eta_Z$", loc="upper right", fontsize=8, ncols=2)
    return figure

"""Entropy of attention, share of common tokens and loss over training, for several learning rates."""

import numpy as np
from matplotlib.figure import Figure

from attention_dynamics.papers.scan_and_snap.learning_rates import pairs, styles
from attention_dynamics.plots.style import RATIO_RAMP, legend, panels
from attention_dynamics.run import Run, single_run

LABELS = {
    "distinct_entropy": "entropy of $c_n$ on\ndistinct tokens, in nats",
    "common_mass": "share of common\ntokens in $c_n$",
    "loss": "loss, in nats",
}


def draw(runs: dict[str, Run], *, log_time: bool = False) -> Figure:
    """Draw three panels over the iterations: median over the seeds, and the quartiles around it.

    log_time: use a logarithmic axis for the iterations.
    """
    run = single_run(runs)
    figure, row = panels(len(LABELS), height=2.0)
    first = 1 if log_time else 0
    looks = styles((ratio for _, ratio in pairs(run)), RATIO_RAMP)
    for axes, (name, label) in zip(row, LABELS.items(), strict=True):
        for (_, ratio), pair in pairs(run).items():
            low, middle, high = np.quantile(run.series[name][first:, :, pair], (0.25, 0.5, 0.75), axis=1)
            color = looks[ratio]["color"]
            axes.plot(run.steps[first:], middle, color=color, label=rf"$\eta_Y/\eta_Z = {ratio:g}$")
            axes.fill_between(run.steps[first:], low, high, color=color, alpha=0.25, lw=0)
        axes.set(ylabel=label, xlabel="iteration $t$", xscale="log" if log_time else "linear")
    row[-1].set(yscale="log")
    legend(figure, row[0], title="median and quartiles of the seeds")
    return figure

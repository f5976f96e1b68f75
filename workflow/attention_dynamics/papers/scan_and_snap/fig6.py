"""Fig 6: entropy of attention on distinct tokens against the ratio of learning rates."""

import numpy as np
from matplotlib.figure import Figure

from attention_dynamics.papers.scan_and_snap.entropy_line import plot_entropy
from attention_dynamics.papers.scan_and_snap.learning_rates import size_label, styles
from attention_dynamics.plots.style import FAINT, legend, panels
from attention_dynamics.run import Run


def draw(runs: dict[str, Run]) -> Figure:
    """Draw a panel for each run, with a line for each eta_Z."""
    figure, row = panels(len(runs), height=2.1, sharey=True)
    row = np.atleast_1d(row)
    for axes, run in zip(row, runs.values(), strict=True):
        looks = styles(run.training.eta_Z)
        axes.axvline(1, color=FAINT, ls="--", lw=0.7, zorder=0)
        for k, (eta_Z, look) in enumerate(looks.items()):
            plot_entropy(axes, run, eta_Z, k - (len(looks) - 1) / 2, look, rf"$\eta_Z = {eta_Z:g}$")
        axes.set(title=f"{size_label(run)} last/next tokens", xlabel=r"$\eta_Y / \eta_Z$")
    row[0].set_ylabel("mean entropy of $c_n$")
    legend(figure, row[0], title="mean and standard deviation of the seeds")
    return figure

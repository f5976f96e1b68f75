"""Fig 6: entropy of attention on distinct tokens against the ratio of learning rates."""

import numpy as np
from matplotlib.figure import Figure

from attention_dynamics.papers.scan_and_snap.entropy_line import plot_entropy
from attention_dynamics.papers.scan_and_snap.learning_rates import size_label
from attention_dynamics.plots.style import INK, panels
from attention_dynamics.run import Run


def draw(runs: dict[str, Run]) -> Figure:
    """Draw a panel for each run, with a line for each eta_Z."""
    figure, row = panels(3.1, 3.0, len(runs))
    row = np.atleast_1d(row)
    for axes, run in zip(row, runs.values(), strict=True):
        for k, eta_Z in enumerate(sorted(set(run.training.eta_Z))):
            plot_entropy(axes, run, eta_Z, k, f"$\\eta_Z = {eta_Z:g}$")
        axes.axvline(1, color=INK, ls="--", lw=1)
        axes.set(title=f"#last/next tokens = {size_label(run)}", xlabel=r"$\eta_Y / \eta_Z$")
    row[0].set_ylabel("average entropy of $c_n$")
    figure.legend(*row[0].get_legend_handles_labels(), fontsize=9, loc="outside right center")
    return figure

"""Entropy of attention on distinct tokens against the ratio of learning rates (Scan and snap Fig 6)."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_dynamics.plots.scan_and_snap.learning_rates import classes_label, look, pairs
from attention_dynamics.plots.style import INK, panels
from attention_dynamics.run import Run


def draw(runs: dict[str, Run]) -> Figure:
    """One panel per run, a line for each eta_Z: mean and standard deviation over the seeds at the end of training."""
    figure, row = panels(3.1, 3.0, len(runs))
    row = np.atleast_1d(row)
    for axes, run in zip(row, runs.values(), strict=True):
        for k, eta_Z in enumerate(sorted(set(run.training.eta_Z))):
            draw_entropy(axes, run, eta_Z, k, f"$\\eta_Z = {eta_Z:g}$")
        axes.axvline(1, color=INK, ls="--", lw=1)
        axes.set(title=f"#last/next tokens = {classes_label(run)}", xlabel=r"$\eta_Y / \eta_Z$")
    row[0].set_ylabel("average entropy of $c_n$")
    figure.legend(*row[0].get_legend_handles_labels(), fontsize=9, loc="outside right center")
    return figure


def draw_entropy(axes: Axes, run: Run, eta_Z: float, k: int, label: str) -> None:
    """The line of one eta_Z, as the k-th one."""
    table, last = pairs(run), run.series["distinct_entropy"][-1]
    ratios = sorted(ratio for z, ratio in table if z == eta_Z)
    values = last[:, [table[eta_Z, ratio] for ratio in ratios]]
    axes.errorbar(ratios, values.mean(0), values.std(0, ddof=1), **look(k), ms=4, capsize=2, label=label)
    axes.set_xticks(ratios)

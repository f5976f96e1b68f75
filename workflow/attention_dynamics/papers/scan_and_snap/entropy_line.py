"""Entropy of attention on distinct tokens against the ratio of learning rates, as a line of a panel."""

from matplotlib.axes import Axes

from attention_dynamics.papers.scan_and_snap.learning_rates import pairs, style
from attention_dynamics.run import Run


def plot_entropy(axes: Axes, run: Run, eta_Z: float, k: int, label: str) -> None:
    """Plot the line of one eta_Z, in the k-th style.

    It shows mean and standard deviation over the seeds at the end of training.
    """
    table, last = pairs(run), run.series["distinct_entropy"][-1]
    ratios = sorted(ratio for z, ratio in table if z == eta_Z)
    values = last[:, [table[eta_Z, ratio] for ratio in ratios]]
    axes.errorbar(ratios, values.mean(0), values.std(0, ddof=1), **style(k), ms=4, capsize=2, label=label)
    axes.set_xticks(ratios)

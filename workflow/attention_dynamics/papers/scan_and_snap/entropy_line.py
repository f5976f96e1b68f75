"""Entropy of attention on distinct tokens against the ratio of learning rates, as a line of a panel."""

from typing import Any

from matplotlib.axes import Axes

from attention_dynamics.papers.scan_and_snap.learning_rates import pairs
from attention_dynamics.run import Run

# How far the lines of a panel are apart, so that their error bars do not cover each other.
DODGE = 0.16


def plot_entropy(axes: Axes, run: Run, eta_Z: float, place: float, look: dict[str, Any], label: str) -> None:
    """Plot the line of one eta_Z: mean and standard deviation over the seeds at the end of training.

    place: of the line beside the others, in units of DODGE. look: colour and marker.
    """
    table, last = pairs(run), run.series["distinct_entropy"][-1]
    ratios = sorted(ratio for z, ratio in table if z == eta_Z)
    values = last[:, [table[eta_Z, ratio] for ratio in ratios]]
    at = [ratio + DODGE * place for ratio in ratios]
    axes.errorbar(at, values.mean(0), values.std(0, ddof=1), **look, ms=2.5, lw=0.8, elinewidth=0.7, label=label)
    axes.set_xticks(ratios)

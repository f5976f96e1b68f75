"""Plot the entropy of attention on distinct tokens against eta_Y / eta_Z, and published values of this entropy."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import NullLocator

from attention_dynamics.papers.scan_and_snap.rate_styles import pairs
from attention_dynamics.plots.style import PUBLISHED
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run

YLABEL = "mean entropy of $c_n$ on\ndistinct tokens, in nats"
PUBLISHED_LABEL = "published"
# Neighboring lines are shifted by this factor, so that their error bars do not cover each other.
DODGE = 1.06
# Crosses are smaller than in other figures, because many are side by side.
CROSS: dict[str, Any] = {**PUBLISHED, "ms": 3.5, "mew": 0.6}


def count_seeds(runs: Mapping[str, Run]) -> int:
    """Return the number of seeds of the first run."""
    return int(next(iter(runs.values())).series["distinct_entropy"].shape[1])


def plot_entropy(axes: Axes, run: Run, eta_Z: float, place: float, look: dict[str, Any], label: str) -> None:
    """Plot the entropy at the last record against eta_Y / eta_Z for one eta_Z: mean and deviation over the seeds.

    place: the x coordinates of the line are multiplied by DODGE^place. look: color and marker. label: legend entry.
    Error bars are standard deviations.
    """
    table, last = pairs(run), run.series["distinct_entropy"][-1]
    ratios = sorted(ratio for z, ratio in table if z == eta_Z)
    values = last[:, [table[eta_Z, ratio] for ratio in ratios]]
    at = np.array(ratios) * DODGE**place
    axes.errorbar(at, values.mean(0), values.std(0, ddof=1), **look, ms=2.5, lw=0.8, elinewidth=0.7, label=label)
    axes.set_xscale("log")
    axes.set_xticks(ratios, [f"{ratio:g}" for ratio in ratios])
    axes.xaxis.set_minor_locator(NullLocator())


def plot_published(axes: Axes, ratios: Array, means: Array, deviations: Array, place: float, label: str | None) -> None:
    """Plot crosses at the published means and ticks at mean ± deviation, against ``ratios``, (k,) each.

    place: see ``plot_entropy``. label: legend entry of the crosses, None for no entry.
    """
    at = ratios * DODGE**place
    axes.errorbar(at, means, deviations, **CROSS, elinewidth=0, capsize=2, capthick=0.5)
    if label:
        axes.plot([], [], **CROSS, label=label)

"""Extension of Fig 4 to many seeds (entropy of attention, share of common tokens, loss) and to more steps (entropy)."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_dynamics.papers.scan_and_snap.rate_styles import pairs, styles
from attention_dynamics.plots.style import GRAY, RATIO_RAMP, legend, panels
from attention_dynamics.run import Run
from attention_dynamics.types import RunName

LABELS = {
    "distinct_entropy": "entropy on distinct\ntokens, in nats",
    "common_mass": "share of common\ntokens in $c_n$",
    "loss": "loss, in nats",
}


def draw(runs: dict[str, Run], *, short: RunName, long: RunName) -> Figure:
    """Draw entropy, share of common tokens and loss in three panels, over the iterations of the run ``short``.

    The fourth panel shows the entropy over the iterations of the run ``long``, on a logarithmic axis. A dotted line
    marks the last iteration of ``short``. Lines are medians over the seeds, and bands go from quartile to quartile.
    """
    figure, grid = panels(2, 2, height=1.6)
    *row, last = grid.flat
    looks = styles((ratio for _, ratio in pairs(runs[short])), RATIO_RAMP)
    for axes, (name, label) in zip(row, LABELS.items(), strict=True):
        _draw_series(axes, runs[short], name, looks, first=0)
        axes.set(ylabel=label, xlabel="iteration $t$")
    row[-1].set(yscale="log")
    _draw_series(last, runs[long], "distinct_entropy", looks, first=1)
    last.axvline(runs[short].steps[-1], color=GRAY, lw=0.6, ls=":")
    last.set(ylabel=LABELS["distinct_entropy"], xlabel="iteration $t$", xscale="log", xlim=(1, runs[long].steps[-1]))
    legend(figure, row[0], title="median and quartiles of the seeds")
    return figure


def _draw_series(axes: Axes, run: Run, name: str, looks: Mapping[float, dict[str, Any]], first: int) -> None:
    """Draw the median and quartiles over the seeds for each pair of learning rates, from the record ``first`` on."""
    for (_, ratio), pair in pairs(run).items():
        low, middle, high = np.quantile(run.series[name][first:, :, pair], (0.25, 0.5, 0.75), axis=1)
        color = looks[ratio]["color"]
        axes.plot(run.steps[first:], middle, color=color, label=rf"$\eta_Y/\eta_Z = {ratio:g}$")
        axes.fill_between(run.steps[first:], low, high, color=color, alpha=0.25, lw=0)

"""Extension: the initial value as a prior (Section 5)."""

import numpy as np
from matplotlib.figure import Figure

from attention_dynamics.papers.scan_and_snap.learning_rates import style
from attention_dynamics.plots.style import panels
from attention_dynamics.run import Run


def draw(runs: dict[str, Run]) -> Figure:
    """Draw the shares of the distinct tokens over time from zero, and at the end for every head, as stacked bars."""
    zero, heads = runs.values()
    figure, row = panels(4.4, 3.2, 2)
    shares = zero.series["distinct_shares"][1:, 0, 0]
    for token in range(shares.shape[1]):
        row[0].plot(zero.steps[1:], shares[:, token], color=style(token)["color"], label=f"token {token + 1}")
    row[0].set(xscale="log", xlabel="time $t$", title="from zero: the likeliest token wins")
    end = heads.series["distinct_shares"][-1, 0]
    order = np.lexsort((-end.max(1), end.argmax(1)))
    bottom = np.zeros(len(end))
    for token in range(end.shape[1]):
        row[1].bar(np.arange(len(end)), end[order, token], bottom=bottom, width=1.0, color=style(token)["color"])
        bottom += end[order, token]
    row[1].set(xlabel="head", title="from random logits: the winner differs", xlim=(-0.5, len(end) - 0.5))
    for axes in row:
        axes.set_ylim(0, 1)
    row[0].set_ylabel("share of attention on distinct tokens")
    row[0].legend(loc="upper left", fontsize=8)
    return figure

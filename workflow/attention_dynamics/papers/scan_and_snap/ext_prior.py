"""Extension: the initial value as a prior (Section 5)."""

import numpy as np
from matplotlib.figure import Figure

from attention_dynamics.plots.style import BLUE, GREEN, ORANGE, PURPLE, SKY, legend, panels
from attention_dynamics.run import Run

TOKEN_COLORS = (BLUE, ORANGE, GREEN, PURPLE, SKY)


def draw(runs: dict[str, Run]) -> Figure:
    """Draw the shares of the distinct tokens over time from zero, and at the end for every head, as stacked bars."""
    zero, heads = runs.values()
    figure, row = panels(2, height=2.1, sharey=True)
    shares = zero.series["distinct_shares"][1:, 0, 0]
    for token, color in zip(range(shares.shape[1]), TOKEN_COLORS, strict=False):
        row[0].plot(zero.steps[1:], shares[:, token], color=color, label=f"token {token + 1}")
    row[0].set(xscale="log", xlabel="time $t$", title="from zero: the likeliest token wins")
    end = heads.series["distinct_shares"][-1, 0]
    order = np.lexsort((-end.max(1), end.argmax(1)))
    bottom = np.zeros(len(end))
    for token, color in zip(range(end.shape[1]), TOKEN_COLORS, strict=False):
        row[1].bar(np.arange(len(end)), end[order, token], bottom=bottom, width=1.0, color=color)
        bottom += end[order, token]
    row[1].set(xlabel="head", title="from random logits: the winner differs", xlim=(-0.5, len(end) - 0.5))
    row[0].set(ylim=(0, 1), ylabel="share among distinct")
    legend(figure)
    return figure

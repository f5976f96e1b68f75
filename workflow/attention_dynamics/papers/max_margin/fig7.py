"""Fig 7: soft-sparsity of the attention, and norm of the key-query matrix W_K W_Q', over the epochs."""

import itertools
from typing import Any

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from attention_dynamics.plots.style import BLUE, GREEN, panels
from attention_dynamics.run import Run

# Line styles of the seeds, the same in both panels.
DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1, 1.2)), (0, (5, 1.5, 1, 1.5)))
PANELS = (
    ("soft_sparsity", "soft-sparsity\n(lower is sparser)", BLUE),
    ("key_query_norm", "norm\n" r"$\|W_K W_Q^\top\|_F$", GREEN),
)


def draw(run: Run) -> Figure:
    """Draw soft-sparsity and norm over the epochs, in one panel each, with a line for every seed."""
    figure, column = panels(1, len(PANELS), height=1.25, width=3.4, sharex=True)
    for axes, (series, label, color) in zip(column, PANELS, strict=True):
        values = run.series[series][:, 0]
        for seed, dashes in zip(values.T, itertools.cycle(DASHES), strict=False):
            axes.plot(run.steps, seed, color=color, lw=0.8, ls=dashes)
        axes.lines[0].set_label(f"{values.shape[1]} seeds, a line each")
        axes.set_ylabel(label)
        axes.set_ylim(bottom=0)
    column[0].legend(loc="lower left")
    column[-1].set(xlabel="epoch", xlim=(0, run.steps[-1]))
    column[-1].xaxis.set_major_locator(MaxNLocator(5, integer=True))
    return figure

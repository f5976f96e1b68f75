"""Extension: fates of distinct and of common tokens (Theorem 2 and Corollary 2)."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from attention_dynamics.plots.style import BLUE, INK, ORANGE, legend, panels
from attention_dynamics.run import Run
from attention_dynamics.theory.token_dynamics import distinct_tokens


def draw(runs: dict[str, Run]) -> Figure:
    """Draw a panel for each of three runs: the logits of all tokens over time, of every problem."""
    figure, row = panels(3, height=1.9, sharey=True)
    titles = ("one common token", "two, unequal", "three, symmetric classes")
    for axes, run, title in zip(row, runs.values(), titles, strict=True):
        for problem, P in enumerate(run.problem.probabilities):
            own = distinct_tokens(P).max(0)
            for token in np.flatnonzero(P.max(0)):
                z = run.trajectory["z"][:, problem, 0, 0, token]
                axes.plot(run.steps, z, color=BLUE if own[token] else ORANGE, lw=0.5, alpha=0.8)
        axes.axhline(0, color=INK, lw=0.5)
        axes.set(title=title, xlabel="time $t$")
    row[0].set_ylabel("attention logit $z_l$")
    lines = [Line2D([], [], color=color, label=label) for color, label in ((BLUE, "distinct"), (ORANGE, "common"))]
    legend(figure, lines)
    return figure

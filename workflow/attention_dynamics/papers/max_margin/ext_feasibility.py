"""Extension: how often a prompt exists that selects the optimal, or any locally-optimal, tokens (Lemma 2)."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from attention_dynamics.papers.max_margin.selection_panels import by_dimension, dimensions, last, share
from attention_dynamics.plots.style import BLUE, GRAY, INK, ORANGE, PURPLE, panels, ramp
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.types import RunName

STYLES = {"random": ("o", "-"), "equal": ("s", "--")}
# Numbers of inputs, from dark to light.
SIZES = (2, 4, 6)
SIZE_COLORS = dict(zip(SIZES, ramp(SIZES), strict=True))


def draw(runs: dict[str, Run], *, trained: RunName) -> Figure:
    """Draw the share of feasible problems against the dimension, and the outcomes of training on small problems.

    trained: the run on the small problems, for which all selections have been tried.
    """
    figure, (feasible, small) = panels(2, height=2.2, sharey=True)
    for name, run in runs.items():
        if name != trained:
            _draw_feasible(feasible, run)
    feasible.set(xlabel="dimension $d$", ylabel="share of problems", ylim=(-0.03, 1.42), title="ATT-SVM feasible")
    feasible.set_yticks(np.linspace(0, 1, 6))
    sizes = sorted({run.problem.tokens.shape[1:3] for name, run in runs.items() if name != trained})
    handles = [Line2D([], [], color=SIZE_COLORS[n], label=f"$n = {n}$, $T = {T}$") for n, T in sizes]
    handles += [
        Line2D([], [], color=GRAY, marker=m, ls=ls, ms=3, label=f"{name} labels") for name, (m, ls) in STYLES.items()
    ]
    feasible.legend(handles=handles, loc="lower right")
    _draw_small(small, runs[trained])
    return figure


def _draw_feasible(axes: Axes, run: Run) -> None:
    n = run.problem.tokens.shape[1]
    equal = bool((run.problem.labels == 1).all())
    centre, errors = by_dimension(run, last(run, "feasible"), share)
    places = np.arange(len(centre)) + 0.06 * (n - 4) / 2
    style = "".join(STYLES["equal" if equal else "random"])
    axes.errorbar(places, centre, errors, fmt=style, color=SIZE_COLORS[n], ms=3, lw=0.9)
    axes.set_xticks(range(len(centre)), map(str, dimensions(run)))


def _draw_small(axes: Axes, run: Run) -> None:
    saturated, exists = last(run, "saturated"), last(run, "lmm_exists")
    bars: tuple[tuple[str, str, Array], ...] = (
        ("an LMM direction exists", ORANGE, exists),
        ("training saturates", BLUE, saturated),
        ("training saturates, no LMM exists", PURPLE, saturated * (1 - exists)),
    )
    for k, (label, color, flags) in enumerate(bars):
        centre, errors = by_dimension(run, flags, share)
        places, seen = np.arange(len(centre)) + 0.27 * (k - 1), centre > 0
        axes.bar(places, centre, 0.25, color=color, label=label)
        axes.errorbar(places[seen], centre[seen], errors[:, seen], fmt="none", color=INK, ecolor=INK, elinewidth=0.6)
    n, T = run.problem.tokens.shape[1:3]
    axes.set_xticks(range(len(dimensions(run))), map(str, dimensions(run)))
    axes.set(xlabel="dimension $d$", title=f"$n = {n}$, $T = {T}$, all selections tried")
    axes.grid(visible=False, axis="x")
    axes.legend(loc="upper left")

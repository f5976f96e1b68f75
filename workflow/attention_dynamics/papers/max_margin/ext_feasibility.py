"""Extension: how often a prompt exists that selects the optimal, or any locally-optimal, tokens (Lemma 2)."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from attention_dynamics.papers.max_margin.selection_panels import by_dimension, dimensions, last, share
from attention_dynamics.plots.style import BLUE, GRAY, GREEN, ORANGE, RED, panels
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.types import RunName

STYLES = {"random": ("o", "-"), "equal": ("s", "--")}
SIZE_COLORS = {2: GREEN, 4: BLUE, 6: RED}


def draw(runs: dict[str, Run], *, trained: RunName) -> Figure:
    """Draw the share of feasible problems against the dimension, and beside it what training ends in on small ones.

    trained: the run of the small problems, of which all selections have been tried.
    """
    figure, (feasible, small) = panels(4.6, 3.5, 2)
    for name, run in runs.items():
        if name != trained:
            _draw_feasible(feasible, run)
    feasible.set(xlabel="dimension $d$", ylabel="share with feasible ATT-SVM", ylim=(-0.03, 1.05))
    sizes = sorted({run.problem.tokens.shape[1:3] for name, run in runs.items() if name != trained})
    handles = [Line2D([], [], color=SIZE_COLORS[n], label=f"$n = {n}$, $T = {T}$") for n, T in sizes]
    handles += [
        Line2D([], [], color=GRAY, marker=m, ls=ls, ms=4, label=f"{name} labels") for name, (m, ls) in STYLES.items()
    ]
    feasible.legend(handles=handles, loc="lower right", fontsize=8)
    _draw_small(small, runs[trained])
    return figure


def _draw_feasible(axes: Axes, run: Run) -> None:
    n = run.problem.tokens.shape[1]
    equal = bool((run.problem.labels == 1).all())
    centre, errors = by_dimension(run, last(run, "feasible"), share)
    places = np.arange(len(centre)) + 0.06 * (n - 4) / 2
    style = "".join(STYLES["equal" if equal else "random"])
    axes.errorbar(places, centre, errors, fmt=style, color=SIZE_COLORS[n], ms=4, lw=1.1, capsize=2)
    axes.set_xticks(range(len(centre)), map(str, dimensions(run)))


def _draw_small(axes: Axes, run: Run) -> None:
    saturated, exists = last(run, "saturated"), last(run, "lmm_exists")
    bars: tuple[tuple[str, str, Array], ...] = (
        ("an LMM direction exists", ORANGE, exists),
        ("training saturates", BLUE, saturated),
        ("training saturates, no LMM exists", RED, saturated * (1 - exists)),
    )
    for k, (label, color, flags) in enumerate(bars):
        centre, errors = by_dimension(run, flags, share)
        axes.bar(
            np.arange(len(centre)) + 0.27 * (k - 1), centre, 0.25, yerr=errors, color=color, label=label,
            error_kw={"elinewidth": 0.9, "capsize": 1.8},
        )  # fmt: skip
    n, T = run.problem.tokens.shape[1:3]
    axes.set_xticks(range(len(dimensions(run))), map(str, dimensions(run)))
    axes.set(xlabel="dimension $d$", ylabel=f"share of problems, $n = {n}$, $T = {T}$", ylim=(0, 1.42))
    axes.grid(visible=False, axis="x")
    axes.legend(loc="upper left", fontsize=8)

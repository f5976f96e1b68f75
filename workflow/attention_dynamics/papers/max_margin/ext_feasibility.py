"""Extension: how often a prompt exists that selects optimal or locally-optimal tokens (Lemma 2)."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_dynamics.papers.max_margin.selection_panels import by_dimension, dimensions, last, share
from attention_dynamics.plots.style import BLUE, INK, PURPLE, SKY, SMALL_FONT_SIZE, legend, panels, ramp
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.types import RunName

# Numbers of inputs n. Their colors go from dark for the smallest to light for the largest.
SIZES = (2, 4, 6)
SIZE_COLORS = dict(zip(SIZES, ramp(SIZES), strict=True))


def draw(runs: dict[str, Run], *, trained: RunName) -> Figure:
    """Draw the share of feasible problems by dimension for random and equal labels, and the outcomes of training.

    trained: the run on small problems, whose LMM directions were found by trying all selections of tokens. All other
    runs are shown in the panels of their labels.
    """
    figure, (random, equal, small) = panels(3, height=2.2, sharey=True)
    for axes, name in ((random, "random"), (equal, "equal")):
        drawn = [run for key, run in runs.items() if key != trained and _labels(run) == name]
        # Points of different runs are side by side, because many shares are 1, and the points would cover each other.
        for run, shift in zip(drawn, np.linspace(-0.16, 0.16, len(drawn)), strict=True):
            _draw_feasible(axes, run, shift)
        sizes = ", ".join(str(run.problem.tokens.shape[1]) for run in drawn)
        axes.set(xlabel="dimension $d$", title=f"{name} labels, $n = {sizes}$")
    random.set(ylabel="share of problems", ylim=(-0.03, 1.05))
    _draw_small(small, runs[trained])
    legend(figure, random)
    legend(figure, small, place="below")
    return figure


def _labels(run: Run) -> str:
    return "equal" if (run.problem.labels == 1).all() else "random"


def _draw_feasible(axes: Axes, run: Run, shift: float) -> None:
    """Draw the shares of feasible problems of one size (n, T) by dimension. shift: offset of the points along x."""
    centre, errors = by_dimension(run, last(run, "reference_feasible"), share)
    n, T = run.problem.tokens.shape[1:3]
    label = f"ATT-SVM feasible, $n = {n}$, $T = {T}$"
    places = np.arange(len(centre)) + shift
    axes.errorbar(places, centre, errors, fmt="o-", color=SIZE_COLORS[n], ms=3, lw=0.9, label=label)
    axes.set_xticks(range(len(centre)), map(str, dimensions(run)))


def _draw_small(axes: Axes, run: Run) -> None:
    # Bars of the shares of problems with each of three outcomes, by dimension. A share of zero is written as "0".
    saturated, exists = last(run, "saturated"), last(run, "lmm_exists")
    bars: tuple[tuple[str, str, Array], ...] = (
        ("an LMM direction exists", SKY, exists),
        ("training saturates", BLUE, saturated),
        ("training saturates, no LMM exists", PURPLE, saturated * (1 - exists)),
    )
    for k, (label, color, flags) in enumerate(bars):
        centre, errors = by_dimension(run, flags, share)
        places, seen = np.arange(len(centre)) + 0.27 * (k - 1), centre > 0
        axes.bar(places, centre, 0.25, color=color, label=label)
        for place in places[~seen]:
            axes.text(place, 0.01, "0", ha="center", va="bottom", fontsize=SMALL_FONT_SIZE)
        axes.errorbar(places[seen], centre[seen], errors[:, seen], fmt="none", color=INK, ecolor=INK, elinewidth=0.6)
    n, T = run.problem.tokens.shape[1:3]
    axes.set_xticks(range(len(dimensions(run))), map(str, dimensions(run)))
    axes.set(xlabel="dimension $d$", title=f"random labels, $n = {n}$, $T = {T}$")
    axes.grid(visible=False, axis="x")

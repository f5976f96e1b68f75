"""Extension: Theorems 2 and 3 and Lemmas 3 to 7, under gradient descent with a constant step."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from numpy.typing import NDArray

from attention_dynamics.plots.style import (
    BLUE,
    GRAY,
    GREEN,
    GRID,
    INK,
    ORANGE,
    PURPLE,
    SMALL_FONT_SIZE,
    legend,
    panels,
    ramp,
)
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.types import Labels, ReferenceNames

Point = tuple[float, float]
Style = tuple[str, str]
# Runs that differ in the step size alone share a color; the small step is dashed.
RUNS = {
    "below_bound_1a": (ORANGE, "--", r"Fig 1a data, $\eta = 0.04$"),
    "constant_1a": (ORANGE, "-", r"Fig 1a data, $\eta = 1$"),
    "below_bound_1b": (BLUE, "--", r"Fig 1b data, $\eta = 0.04$"),
    "constant_1b": (BLUE, "-", r"Fig 1b data, $\eta = 1$"),
    "constant_1c": (GREEN, "-", r"Fig 1c data, $\eta = 1$"),
}


def draw(runs: dict[str, Run], *, references: ReferenceNames, titles: Labels) -> Figure:
    """Draw the norm of p and one minus its cosine with a reference against ln t, a column per run.

    A start has one color in all panels.

    references, titles: one for each run.
    """
    figure, grid = panels(len(runs), 2, height=1.75, sharex=True, sharey="row")
    styles = _start_styles(runs)
    for (above, below), run, reference, title in zip(grid.T, runs.values(), references, titles, strict=True):
        leaving = _draw_norm(above, run, float(run.references[reference]["norm"][0]), styles)
        distance = 1 - run.series[f"correlation_{reference}"][1:, 0]
        for start, curve in zip(_starts(run), distance.T, strict=True):
            color, dashes = styles[start]
            below.loglog(run.steps[1:], curve, dashes, color=color)
        for k in np.flatnonzero(leaving):
            below.annotate(
                f"leaves {reference.upper()}", (run.steps[-1], distance[-1, k]), (0, 2), textcoords="offset points",
                ha="right", va="bottom", fontsize=SMALL_FONT_SIZE, color=INK,
            )  # fmt: skip
        above.set(title=title)
        below.set(xlabel="iteration $t$", ylim=(1e-7, 10))
    grid[0, 0].set_ylabel(r"norm $\|p(t)\|$")
    grid[1, 0].set_ylabel(r"$1 - \cos(p(t),\, p^{\mathrm{mm}})$")
    handles = [
        Line2D([], [], color=color, ls=dashes, label=f"$p(0) = ({start[0]:g},\\,{{{start[1]:g}}})$")
        for start, (color, dashes) in styles.items()
    ]
    handles.append(Line2D([], [], color=INK, ls=":", label=r"slope $\|p^{\mathrm{mm}}\|$ per $\ln t$"))
    legend(figure, handles, place="below", columns=4)
    return figure


def _starts(run: Run) -> list[Point]:
    return [(float(x), float(y)) for x, y in run.trajectory["p"][0, 0, :, :2]]


def _start_styles(runs: dict[str, Run]) -> dict[Point, Style]:
    """Return color and dashes of every start: a ramp by y for those on the line x = 0."""
    points = {start for run in runs.values() for start in _starts(run)}
    line = sorted((start for start in points if start[0] == 0), key=lambda start: -start[1])
    lowest = min((y for _, y in line), default=0.0)
    styles = {start: (color, "-") for start, color in zip(line, ramp(y - lowest for _, y in line), strict=True)}
    return styles | dict.fromkeys(sorted(points - styles.keys()), (PURPLE, "--"))


def _draw_norm(axes: Axes, run: Run, length: float, styles: dict[Point, Style]) -> NDArray[np.bool_]:
    """Draw the norms and a line of their slope; return which starts leave the reference."""
    norms = run.series["norm_p"][:, 0]
    for start, norm in zip(_starts(run), norms.T, strict=True):
        color, dashes = styles[start]
        axes.semilogx(run.steps[1:], norm[1:], dashes, color=color)
    late = run.steps[run.steps >= run.steps[-1] / 100]
    line = norms[-1].max() + length * np.log(late / late[-1]) + 0.8
    axes.semilogx(late, line, ":", color=INK)
    axes.set_ylim(0, 12)
    return run.series["alignment"][-1, 0] <= 0


def draw_lemmas(runs: dict[str, Run]) -> Figure:
    """Draw the four ratios of ``measures.descent_conditions``, a panel each, and shade what the lemmas exclude.

    The ratio that they bound far out only is against the norm of p, with what is far out enlarged.
    """
    figure, grid = panels(2, 2, height=1.65)
    key, alignment, gradient, descent = grid.flat
    for axes, series, bound, edge, text in (
        (key, "key_lemma_ratio", 1, 1.25, "excluded: above 1"),
        (alignment, "alignment", 0, -0.25, "excluded: 0 and below"),
        (descent, "descent_ratio", 1, 0.7, r"excluded for $\eta \leq 1/L_p$: below 1"),
    ):
        _draw_ratio(axes, runs, series)
        axes.axhspan(bound, edge, color=GRID, lw=0)
        axes.text(0.98, (bound + edge) / 2, text, transform=axes.get_yaxis_transform(), ha="right", va="center",
                  fontsize=SMALL_FONT_SIZE)  # fmt: skip
        axes.set(xlabel="iteration $t$", xscale="log")
    key.set(title="Lemma 3", ylabel="error of Lemma 3's sum\nover its bound", ylim=(0, 1.25))
    label = r"$\cos(-\nabla\mathcal{L},\, p^{\mathrm{mm}})$"
    alignment.set(title="Lemmas 4 and 7", ylabel=label, ylim=(-0.25, 1.05))
    label = "decrease of $\\mathcal{L}$ over\n$\\eta\\,\\|\\nabla\\mathcal{L}\\|^2/2$"
    descent.set(title="Lemma 6", ylabel=label, ylim=(0.7, 2.15))
    label = "descent along $p$\nover that along $p^{\\mathrm{mm}}$"
    gradient.set(title="Lemmas 5 and 7", ylabel=label, ylim=(-1.25, 1.25))
    enlarged = gradient.inset_axes((0.5, 0.17, 0.48, 0.48))
    enlarged.set(xlim=(4, 10), ylim=(0.97, 1.03), yticks=(0.97, 1, 1.03))
    for axes in (gradient, enlarged):
        _draw_ratio(axes, runs, "gradient_ratio", against="norm_p")
        axes.axhline(1, color=GRAY, ls=":", lw=0.9)
    gradient.set(xlabel=r"norm $\|p(t)\|$")
    handles: list[Line2D | Patch] = [
        Line2D([], [], color=color, ls=dashes, label=label) for color, dashes, label in RUNS.values()
    ]
    handles += [
        Line2D([], [], color=GRAY, ls=":", label=r"bound in c for $\|p\| \to \infty$"),
    ]
    legend(figure, handles, place="below", columns=4)
    return figure


def _draw_ratio(axes: Axes, runs: dict[str, Run], series: str, against: str | None = None) -> None:
    """Draw a series of all runs against the iteration or another series."""
    for name, run in runs.items():
        color, dashes, _ = RUNS[name]
        times = _kept_starts(run, against)[1:] if against else run.steps[1:]
        axes.plot(times, _kept_starts(run, series)[1:], dashes, color=color, lw=0.6)


def _kept_starts(run: Run, series: str) -> Array:
    """Return the series, (records, starts), of the starts that the lemmas are about: none that leaves the LMM."""
    values: Array = run.series[series][:, 0]
    return values[:, run.series["alignment"][-1, 0] > 0]

"""Extension: Theorems 2 and 3 and Lemmas 3 to 7, under gradient descent with a constant step."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from attention_dynamics.plots.style import BLUE, GRAY, GREEN, INK, ORANGE, PURPLE, SKY, legend, panels
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.types import Labels, ReferenceNames

START_COLORS = (ORANGE, BLUE, GREEN, INK, PURPLE, SKY)
# Runs that differ in the step size alone share a colour; the small step is dashed.
RUNS = {
    "below_bound_1a": (ORANGE, "--", r"Fig 1a data, $\eta = 0.04$"),
    "constant_1a": (ORANGE, "-", r"Fig 1a data, $\eta = 1$"),
    "below_bound_1b": (BLUE, "--", r"Fig 1b data, $\eta = 0.04$"),
    "constant_1b": (BLUE, "-", r"Fig 1b data, $\eta = 1$"),
    "constant_1c": (GREEN, "-", r"Fig 1c data, $\eta = 1$"),
}


def draw(runs: dict[str, Run], *, references: ReferenceNames, titles: Labels) -> Figure:
    """Draw the norm of p and one minus its cosine with a reference against ln t, a column per run.

    references, titles: one for each run.
    """
    figure, grid = panels(len(runs), 2, height=1.75, sharex=True, sharey="row")
    for (above, below), run, reference, title in zip(grid.T, runs.values(), references, titles, strict=True):
        _draw_norm(above, run, float(run.references[reference]["norm"][0]))
        for k, distance in enumerate((1 - run.series[f"correlation_{reference}"][1:, 0]).T):
            below.loglog(run.steps[1:], distance, color=START_COLORS[k])
        above.set(title=title)
        below.set(xlabel="iteration $t$", ylim=(1e-5, 3))
    grid[0, 0].set_ylabel(r"norm $\|p(t)\|$")
    grid[1, 0].set_ylabel(r"$1 - \cos(p(t),\, p^{\mathrm{mm}})$")
    legend(figure, list(grid[0]), place="below", columns=4)
    return figure


def _draw_norm(axes: Axes, run: Run, length: float) -> None:
    for k, (norm, start) in enumerate(zip(run.series["norm_p"][:, 0].T, run.trajectory["p"][0, 0], strict=True)):
        label = f"$p(0) = ({start[0]:g},\\,{start[1]:g})$"
        axes.semilogx(run.steps[1:], norm[1:], color=START_COLORS[k], label=label)
    late = run.steps[run.steps >= run.steps[-1] / 100]
    line = run.series["norm_p"][-1, 0].mean() + length * np.log(late / late[-1]) + 0.6
    axes.semilogx(late, line, ":", color=INK, label=r"slope $\|p^{\mathrm{mm}}\|$ per $\ln t$")
    axes.set_ylim(0, 13.5)


def draw_lemmas(runs: dict[str, Run]) -> Figure:
    """Draw the four ratios of ``measures.descent_conditions`` and what the lemmas say of them, a panel each."""
    figure, grid = panels(2, 2, height=1.5, sharex=True)
    rows = (
        ("key_lemma_ratio", "Lemma 3", "error of the key lemma\nover its bound", (0, 1.25), 1.0),
        (
            "alignment",
            "Lemmas 4 and 7",
            r"$\cos(-\nabla\mathcal{L},\, p^{\mathrm{mm}})$",
            (-0.15, 1.05),
            0.0,
        ),
        (
            "gradient_ratio",
            "Lemmas 5 and 7",
            "descent along $p$\nover that along $p^{\\mathrm{mm}}$",
            (0.5, 1.35),
            1.0,
        ),
        (
            "descent_ratio",
            "Lemma 6",
            "decrease of $\\mathcal{L}$ over\n$\\eta\\,\\|\\nabla\\mathcal{L}\\|^2/2$",
            (0.9, 2.15),
            1.0,
        ),
    )
    for axes, (series, title, ylabel, ylim, bound) in zip(grid.flat, rows, strict=True):
        for name, run in runs.items():
            color, dashes, _ = RUNS[name]
            for values in _kept_starts(run, series).T:
                axes.semilogx(run.steps[1:], values[1:], dashes, color=color, lw=0.6)
        axes.axhline(bound, color=GRAY, ls=":", lw=0.9)
        axes.set(title=title, ylabel=ylabel, ylim=ylim)
    for axes in grid[-1]:
        axes.set_xlabel("iteration $t$")
    handles = [Line2D([], [], color=color, ls=dashes, label=label) for color, dashes, label in RUNS.values()]
    handles.append(Line2D([], [], color=GRAY, ls=":", label="bound"))
    legend(figure, handles, place="below", columns=3)
    return figure


def _kept_starts(run: Run, series: str) -> Array:
    """Return the series, (records, starts), of the starts that the lemmas are about: none that leaves the LMM."""
    values: Array = run.series[series][:, 0]
    return values[:, run.series["alignment"][-1, 0] > 0]

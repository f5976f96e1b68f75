"""Extension: the direction of p and negative score gaps in single, double and cancellation-free arithmetic."""

from collections.abc import Callable

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from attention_dynamics.papers.max_margin.selection_panels import by_dimension, dimensions, last, share
from attention_dynamics.plots.panels import DirectionPanel, DirectionPanels
from attention_dynamics.plots.style import COLORS, GRAY, legend, panels
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.series.confidence import Estimate, student_mean
from attention_dynamics.types import RecordedStep, ReferenceName, RunNames

NAMES = {"stable": "cancellation-free", "float64": "textbook formula, double", "float32": "textbook formula, single"}
DASHES = {"stable": "-", "float64": (0, (4, 2)), "float32": (0, (4, 1.5, 1, 1.5))}
MARKERS = {"stable": "o", "float64": "s", "float32": "^"}
# Lower end of the logarithmic axis, and position of the arrowhead for an interval that reaches zero.
DISTANCE_FLOOR, ARROW_TIP = 3e-6, 4.5e-6


def draw(
    runs: dict[str, Run], *, panel: DirectionPanels, marked: RecordedStep, batches: RunNames, reference: ReferenceName
) -> Figure:
    """Draw 1 - cosine with a reference, in a panel for each entry of ``panel``, and below, results on random problems.

    These results are, for each dimension, the share of negative gaps, and 1 - the mean cosine with p_mm over the
    problems that end in LMM. All upper panels have the ``ylim`` of the first entry. marked: a step to mark in the upper
    panels. batches: the runs on random problems. reference: the reference of ``batches`` for the selected tokens, p_mm.
    """
    figure, grid = panels(len(panel), 2, height=1.9)
    for axes, one in zip(grid[0], panel, strict=True):
        _draw_panel(axes, runs, one)
        axes.axvline(marked, color=GRAY, lw=0.6, ls=":")
        axes.set_ylim(*panel[0].ylim)
    grid[0, 0].set_ylabel(r"$1 - \cos$ with the SVM direction")
    (negative, distance), rest = grid[1, :2], grid[1, 2:]
    for name in batches:
        run = runs[name]
        local = last(run, "locally_optimal") == 1
        gaps, distances = last(run, "negative_gap"), np.where(local, 1 - last(run, f"correlation_{reference}"), np.nan)
        _draw_dimensions(negative, run, gaps, share)
        _draw_dimensions(distance, run, distances, _mean)
    negative.set(title="random problems", ylabel=r"share with a gap $\Gamma^{\min} < 0$", ylim=(-0.003, None))
    distance.set(title="random problems, LMM", ylabel=r"$1 - $ mean $\cos(p,\, p^{\mathrm{mm}})$", yscale="log",
                 ylim=(DISTANCE_FLOOR, 1))  # fmt: skip
    for axes in rest:
        axes.set_label("")
        axes.set_axis_off()
    handles = [
        Line2D([], [], color=COLORS[kind], ls=DASHES[kind], marker=MARKERS[kind], label=name)
        for kind, name in NAMES.items()
    ]
    handles.append(Line2D([], [], color=GRAY, lw=0.6, ls=":", label="last iterate that the paper plots"))
    handles.append(Line2D([], [], color=GRAY, marker="v", ms=4, mew=0, ls="", label="95 % interval reaches 0"))
    if len(rest):
        rest[0].legend(handles=handles, loc="center left")
    else:
        legend(figure, handles)
    return figure


def _mean(distances: Array) -> Estimate:
    return student_mean(distances, "trial")


def _draw_panel(axes: Axes, runs: dict[str, Run], panel: DirectionPanel) -> None:
    for run in (runs[name] for name in panel.runs):
        precision = run.training.precision
        for start in panel.trajectories:
            distance = 1 - run.series[f"correlation_{panel.reference}"][1:, 0, start]
            axes.semilogy(run.steps[1:], distance, color=COLORS[precision], ls=DASHES[precision])
    axes.set(title=panel.title, xlabel="iteration $t$", xlim=(0, max(runs[name].steps[-1] for name in panel.runs)))
    # The upper end has no tick, because its label would touch the next panel.
    axes.xaxis.set_major_locator(MaxNLocator(4, prune="upper"))


def _draw_dimensions(axes: Axes, run: Run, values: Array, estimate: Callable[[Array], Estimate]) -> None:
    """Draw an estimate and its interval for each dimension. values: (problems,), of which ``estimate`` is computed.

    Points of runs with different precisions are side by side.
    """
    groups, precision = dimensions(run), run.training.precision
    centre, errors = by_dimension(run, values, estimate)
    places = np.arange(len(groups)) + 0.12 * (list(MARKERS).index(precision) - 1)
    below = centre - errors[0] <= 0
    if estimate is _mean and below.any():
        # A logarithmic axis has no zero, so an arrow replaces the end of an error bar that reaches zero.
        errors[0, below] = centre[below] - ARROW_TIP
        axes.plot(places[below], np.full(below.sum(), ARROW_TIP), "v", color=COLORS[precision], ms=4, mew=0)
    axes.errorbar(
        places, centre, errors, fmt=MARKERS[precision] + "-", ms=3, lw=0.8, elinewidth=0.6, color=COLORS[precision]
    )
    axes.set_xticks(range(len(groups)), map(str, groups))
    axes.set_xlabel("dimension $d$")

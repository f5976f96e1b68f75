"""Extension: the negative score gaps of Fig 9 that are round-off, and the effect of round-off on the direction."""

from collections.abc import Callable

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_dynamics.claims.estimate import Estimate, sample_mean
from attention_dynamics.papers.max_margin.selection_panels import by_dimension, dimensions, last, share
from attention_dynamics.plots.style import COLORS, legend, panels
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.types import ReferenceName

MARKERS = {"stable": "o", "float64": "s", "float32": "^"}
# Lower end of the logarithmic axis, and tip of the arrow of an interval that reaches zero.
DISTANCE_FLOOR, ARROW_TIP = 3e-6, 4.5e-6
NAMES = {"stable": "cancellation-free", "float64": "textbook formula, double", "float32": "textbook formula, single"}


def draw(runs: dict[str, Run], *, reference: ReferenceName) -> Figure:
    """Draw the share of negative gaps, and one minus the mean cosine with p_mm, against the dimension, a curve per run.

    reference: the ATT-SVM of the selected tokens. The mean is over the trials that end in LMM.
    """
    figure, (negative, distance) = panels(2, height=2.0)
    for run in runs.values():
        local = last(run, "locally_optimal") == 1
        gaps, distances = last(run, "negative_gap"), np.where(local, 1 - last(run, f"correlation_{reference}"), np.nan)
        _curve(negative, run, gaps, share)
        _curve(distance, run, distances, sample_mean)
    distance.set(ylim=(DISTANCE_FLOOR, 1))
    negative.set(ylabel=r"share of trials with $\Gamma^{\min} < 0$", ylim=(-0.003, None))
    distance.set(ylabel=r"$1 - $ mean cosine with $p^{\mathrm{mm}}$", yscale="log")
    legend(figure, [negative, distance])
    return figure


def _curve(axes: Axes, run: Run, values: Array, estimate: Callable[[Array], Estimate]) -> None:
    """Draw the estimate in every dimension with its interval, at the run's place beside the other runs."""
    groups, precision = dimensions(run), run.training.precision
    centre, errors = by_dimension(run, values, estimate)
    places = np.arange(len(groups)) + 0.16 * (list(MARKERS).index(precision) - 1)
    below = centre - errors[0] <= 0
    if estimate is sample_mean and below.any():
        # A logarithmic axis has no place for zero: an arrow in place of the end of the bar.
        errors[0, below] = centre[below] - ARROW_TIP
        axes.plot(places[below], np.full(below.sum(), ARROW_TIP), "v", color=COLORS[precision], ms=4, mew=0,
                  label="interval reaches 0")  # fmt: skip
    axes.errorbar(
        places, centre, errors, fmt=MARKERS[precision] + "-", ms=3, lw=0.8, elinewidth=0.6,
        color=COLORS[precision], label=NAMES[precision],
    )  # fmt: skip
    axes.set_xticks(range(len(groups)), map(str, groups))
    axes.set_xlabel("dimension $d$")

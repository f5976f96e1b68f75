"""Extension: training that ends at the SVM of all inputs but one."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from attention_dynamics.papers.fast_rates.left_out import (
    FROM_OTHERS,
    FROM_ZERO,
    cosines_with_others,
    left_out,
    stays_wrong,
)
from attention_dynamics.plots.style import BLUE, GRAY, GREEN, INK, ORANGE, legend, panels
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.types import RunName

# The margin of the left-out input under W' at which its pull is as strong as that of the others.
CRITICAL = -1.0


def draw(runs: dict[str, Run], *, run: RunName) -> Figure:
    """Draw three panels: the condition, the cosines over the iterations, and where training from zero ends.

    run: normalized gradient descent from zero and from a multiple of W'.
    """
    trained = runs[run]
    _, margin = left_out(trained.problem)
    below = margin < CRITICAL
    figure, (condition, paths, ends) = panels(3, height=2.0)
    others, reference = cosines_with_others(trained, FROM_OTHERS), trained.series["correlation_w_mm"]

    condition.plot(margin[below], others[-1, below], "o", color=ORANGE, ms=2, mec="none", alpha=0.7)
    condition.plot(margin[~below], others[-1, ~below], "o", color=BLUE, ms=2, mec="none", alpha=0.7)
    condition.axvline(CRITICAL, color=INK, lw=0.9, ls=(0, (4, 2)))
    condition.set(title="from $400\\,W'$", xlabel="margin of the left-out input")
    condition.set_ylabel(r"$\cos(W,\, W')$ at the end")

    for group, color in ((below, ORANGE), (~below, BLUE)):
        _draw_middle(paths, trained.steps, others[:, group], color, "-")
        _draw_middle(paths, trained.steps, reference[:, group, FROM_OTHERS], color, (0, (5, 2)))
    paths.set(
        title="from $400\\,W'$", xscale="symlog", xlabel="iteration $t$", ylabel="cosine of $W$", ylim=(0.25, 1.03)
    )
    handles = [
        Line2D([], [], color=ORANGE, label="margin below $-1$"), Line2D([], [], color=BLUE, label="margin above $-1$"),
        Line2D([], [], color=GRAY, label="with $W'$"),
        Line2D([], [], color=GRAY, ls=(0, (5, 2)), label=r"with $W_{\mathrm{mm}}$"),
    ]  # fmt: skip

    x, y = reference[-1, :, FROM_ZERO], cosines_with_others(trained, FROM_ZERO)[-1]
    wrong = stays_wrong(trained, FROM_ZERO)
    elsewhere = ~wrong & (x < 0.99)
    for mask, color, label in (
        (~wrong & ~elsewhere, BLUE, r"ends at $W_{\mathrm{mm}}$"),
        (wrong, ORANGE, "left-out input selects a wrong token"),
        (elsewhere, GREEN, "ends elsewhere"),
    ):
        if mask.any():
            ends.plot(x[mask], y[mask], "o", color=color, ms=2, mec="none", alpha=0.7, label=f"{label}: {mask.sum()}")
    ends.set(
        title="from $W(0) = 0$",
        xlabel=r"$\cos(W,\, W_{\mathrm{mm}})$",
        ylabel=r"$\cos(W,\, W')$",
        ylim=(-0.35, 1.05),
    )
    handles += ends.get_legend_handles_labels()[0]
    legend(figure, handles, columns=4)
    return figure


def _draw_middle(axes: Axes, steps: NDArray[np.int64], values: Array, color: str, dashes: object) -> None:
    """Draw the median over the data sets and the range of the middle 80 percent. values: (records, k)."""
    if values.shape[1]:
        low, middle, high = np.quantile(values, [0.1, 0.5, 0.9], axis=1)
        axes.fill_between(steps, low, high, color=color, alpha=0.12, lw=0)
        axes.plot(steps, middle, color=color, ls=dashes)

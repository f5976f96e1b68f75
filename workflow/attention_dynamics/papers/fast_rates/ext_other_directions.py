"""Extension: training that ends in the direction W', the SVM of all inputs but one."""

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
from attention_dynamics.plots.style import BLUE, GRAY, INK, ORANGE, SMALL_FONT_SIZE, legend, panels
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.types import RunName

# If the left-out input has this margin under W', its gradient is as large as that of the other inputs.
CRITICAL = -1.0
DASHED = (0, (5, 2))


def draw(runs: dict[str, Run], *, run: RunName) -> Figure:
    """Draw three panels on the cosines of W with W', the SVM of all inputs but one, and with W_mm.

    First panel: cosine with W' at the end of training from a multiple of W', against the margin of the left-out input
    under W'. Second panel: cosines over the iterations. Third panel: both cosines at the end of training from zero.
    run: name of the run of normalized gradient descent from zero and from a multiple of W'.
    """
    trained = runs[run]
    _, margin = left_out(trained.problem)
    groups = {
        "below $-1$": (margin < CRITICAL, ORANGE, "v"),
        "above $-1$": (margin >= CRITICAL, BLUE, "^"),
    }
    figure, (condition, paths, ends) = panels(3, height=2.0, sharey=True)
    others, reference = cosines_with_others(trained, FROM_OTHERS), trained.series["correlation_w_mm"]
    x, y = reference[-1, :, FROM_ZERO], cosines_with_others(trained, FROM_ZERO)[-1]
    handles: list[Line2D] = []
    for k, (label, (group, color, marker)) in enumerate(groups.items()):
        points = {"color": color, "marker": marker, "ls": "", "ms": 2.2, "mec": "none", "alpha": 0.7}
        # The first group is drawn on top of the second, which has many points in one place.
        points["zorder"] = 3 - k
        condition.plot(margin[group], others[-1, group], **points)
        ends.plot(x[group], y[group], **points)
        _draw_middle(paths, trained.steps, others[:, group], color, "-")
        _draw_middle(paths, trained.steps, reference[:, group, FROM_OTHERS], color, DASHED)
        handles.append(Line2D([], [], color=color, marker=marker, ms=3.5, label=f"{label} ({group.sum()} data sets)"))

    condition.axvline(CRITICAL, color=INK, lw=0.9, ls=":")
    condition.set(title="from $400\\,W'$", xlabel="margin of the left-out input", ylabel=r"$\cos(W,\, W')$ at the end")
    condition.set_ylim(min(0.0, float(y.min())), 1.04)
    paths.set(title="from $400\\,W'$", xscale="log", xlabel="iteration $t$", ylabel="cosine of $W$")
    paths.set_xlim(1, trained.steps[-1])
    paths.legend(
        handles=[
            Line2D([], [], color=GRAY, label="with $W'$"),
            Line2D([], [], color=GRAY, ls=DASHED, label=r"with $W_{\mathrm{mm}}$"),
        ],
        loc="lower right",
    )  # fmt: skip
    ends.set(
        title="from $W(0) = 0$", xlabel=r"$\cos(W,\, W_{\mathrm{mm}})$ at the end", ylabel=r"$\cos(W,\, W')$ at the end"
    )
    wrong = stays_wrong(trained, FROM_ZERO)
    _count_ends(ends, at_mm=~wrong & (x >= 0.99), wrong=wrong)
    title = "margin of the left-out input under $W'$, the SVM of the others; b: median and middle half of the data sets"
    legend(figure, handles, title=title)
    return figure


def _count_ends(axes: Axes, at_mm: NDArray[np.bool_], wrong: NDArray[np.bool_]) -> None:
    """Write how many data sets end at W_mm, with a wrong token, and elsewhere. at_mm, wrong: masks (data sets,)."""
    counts = (
        (rf"{at_mm.sum()} at $W_{{\mathrm{{mm}}}}$", (0.97, 0.3), "right"),
        (f"{wrong.sum()} with a wrong token", (0.03, 0.86), "left"),
        (f"{(~at_mm & ~wrong).sum()} elsewhere", (0.03, 0.1), "left"),
    )
    for text, place, side in counts:
        axes.annotate(text, place, xycoords="axes fraction", ha=side, fontsize=SMALL_FONT_SIZE, color=INK)


def _draw_middle(axes: Axes, steps: NDArray[np.int64], values: Array, color: str, dashes: object) -> None:
    """Draw the median and the middle half over k data sets at every step. values: (records, k)."""
    if values.shape[1]:
        low, middle, high = np.quantile(values, [0.25, 0.5, 0.75], axis=1)
        axes.fill_between(steps, low, high, color=color, alpha=0.12, lw=0)
        axes.plot(steps, middle, color=color, ls=dashes)

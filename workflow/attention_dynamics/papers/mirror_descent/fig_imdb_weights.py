"""Histograms of the weights of keys, queries and values."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, NullFormatter

from attention_dynamics.deep.weight_histogram import BIN_WIDTH
from attention_dynamics.papers.mirror_descent.optimizer_styles import style
from attention_dynamics.plots.style import GRAY, INK, PUBLISHED, SMALL_FONT_SIZE, panels
from attention_dynamics.run import Run
from attention_dynamics.series.published import published
from attention_dynamics.types import NonNegative

PROJECTIONS = {"k": "keys", "q": "queries", "v": "values"}
# Horizontal distances in units of the x axis: from a tick to the points of an optimizer, and between its seeds.
SHIFT, SEED_SHIFT = 0.18, 0.06
# Upper end of the histograms. Few weights are larger; a text with an arrow gives the largest weight.
LARGEST_SHOWN = 0.6
DOT: dict[str, Any] = {"marker": "o", "ls": "", "ms": 3, "mec": "none"}


def draw(runs: dict[str, Run], *, above: NonNegative = 0.0) -> Figure:
    """Draw weight histograms of keys, queries and values, the ratio of the shares of large weights, and the maxima.

    runs: two runs with mirror descent, whose weights at the end of training are drawn. Crosses are published numbers.
    above: a multiple of BIN_WIDTH; histograms and shares include only weights with larger absolute values.
    """
    figure, (row, (ratios, largest, rest)) = panels(len(PROJECTIONS), 2, height=1.6)
    first, some = round(above / BIN_WIDTH), False
    for axes, (w, title) in zip(row, PROJECTIONS.items(), strict=True):
        for run in runs.values():
            some |= _draw_histogram(axes, run, w, first)
        axes.set(title=title, xlabel="$|w|$", xlim=(above, LARGEST_SHOWN))
        axes.sharey(row[0])
        axes.tick_params(labelleft=axes is row[0])
        axes.set_xticks(np.arange(2, 7, 2) / 10)
    row[0].set_ylabel(f"share in %, bins of {BIN_WIDTH:g}")
    # The axis is linear if all shares are zero, as they may be after a short training.
    row[0].set_yscale("log" if some else "linear")
    one, other = runs.values()
    _draw_ratios(ratios, one, other, first)
    _draw_largest(largest, list(runs.values()))
    for axes in (ratios, largest):
        axes.set(xticks=range(len(PROJECTIONS)), xticklabels=PROJECTIONS.values(), xlim=(-0.5, len(PROJECTIONS) - 0.5))
        axes.grid(visible=False, axis="x")
    names = [style(run)[0] for run in runs.values()]
    ratios.set(title=f"weights above {above:g}", ylabel=f"share, {names[0]} over {names[1]}")
    largest.set(title="largest weight", ylabel="$\\max\\, |w|$", ylim=(0, None))
    rest.set_axis_off()
    rest.set_label("")
    handles = [Line2D([], [], **DOT, color=style(run)[1], label=style(run)[0]) for run in runs.values()]
    handles.append(Line2D([], [], **PUBLISHED, label="published (d: above 0.06),\nof a larger network"))
    seeds = next(iter(runs.values())).series["weight_max_k"].shape[-1]
    rest.legend(handles=handles, title=f"all {seeds} seeds (a to c),\neach of them (d, e)", loc="center left",
                alignment="left")  # fmt: skip
    return figure


def _draw_histogram(axes: Axes, run: Run, w: str, first: int) -> bool:
    """Draw the shares of weights in the bins from ``first`` on. Return whether there are weights in these bins.

    A text with an arrow gives the largest weight if it exceeds LARGEST_SHOWN.
    """
    _, color, _ = style(run)
    counts = run.series[f"weight_counts_{w}"].sum((1, 2))
    percent = 100 * counts[-1] / counts[0].sum()
    positive = np.where(percent > 0, percent, np.nan)[first:]
    axes.stairs(positive, np.arange(first, len(percent) + 1) * BIN_WIDTH, color=color, lw=0.8)
    if (edge := run.series[f"weight_max_{w}"][-1].max()) > LARGEST_SHOWN:
        axes.annotate(f"up to {edge:.2f} $\\to$", (0.98, 0.9), xycoords="axes fraction", ha="right", color=INK,
                      fontsize=SMALL_FONT_SIZE)  # fmt: skip
    return bool(counts[-1, first:].any())


def _draw_ratios(axes: Axes, one: Run, other: Run, first: int) -> None:
    """Draw, per seed, the ratio of two runs' shares of weights in bins from ``first`` on, and the published ratio."""
    numbers = published(__file__, "fig_imdb_weights")
    for k, w in enumerate(PROJECTIONS):
        counts = (run.series[f"weight_counts_{w}"][-1, 0, :, first:].sum(-1) for run in (one, other))
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.divide(*counts)
        axes.plot(k + SEED_SHIFT * np.arange(len(ratio)) - SHIFT, ratio, **DOT, color=INK)
        axes.plot(k + SHIFT, numbers["share 1.1"][k] / numbers["share 2"][k], **PUBLISHED)
    axes.axhline(1, color=GRAY, lw=0.7)
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(FixedLocator([0.5, 1, 2, 4]))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_formatter(NullFormatter())


def _draw_largest(axes: Axes, runs: Sequence[Run]) -> None:
    """Draw the largest weight of each seed and, to their right, the published one, in the color of the optimizer."""
    numbers = published(__file__, "fig_imdb_weights")
    for run, side in zip(runs, (-SHIFT, SHIFT), strict=True):
        _, color, _ = style(run)
        for k, w in enumerate(PROJECTIONS):
            values = run.series[f"weight_max_{w}"][-1, 0]
            axes.plot(k + side + SEED_SHIFT * (np.arange(len(values)) - 1.5), values, **DOT, color=color)
            largest = numbers[f"largest {run.training.deep_optimizer.exponent:g}"][k]
            axes.plot(k + side + 2 * SEED_SHIFT, largest, **(PUBLISHED | {"color": color}))

"""Histograms of the weights of keys, queries and values."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from attention_dynamics.deep.weight_histogram import BIN_WIDTH
from attention_dynamics.papers.mirror_descent.optimizer_styles import style
from attention_dynamics.plots.style import PUBLISHED, panels
from attention_dynamics.run import Run
from attention_dynamics.series.published import published
from attention_dynamics.types import NonNegative

PROJECTIONS = {"k": "keys", "q": "queries", "v": "values"}
# Of the optimizers, and half the distance of their points, in units of the axis.
MARKERS, SHIFT = "os^v", 0.15


def draw(runs: dict[str, Run], *, above: NonNegative = 0.0) -> Figure:
    """Draw histograms of keys, queries and values for every run, the share of large weights, and the largest ones.

    Runs are mirror descents, at their ends. Crosses are published numbers. above: weights in histograms and shares are
    larger, a multiple of the width of a bin.
    """
    figure, (row, (shares, largest, rest)) = panels(len(PROJECTIONS), 2, height=1.55)
    first, numbers = round(above / BIN_WIDTH), published(__file__, "fig_imdb_weights")
    edge = max(run.series[f"weight_max_{w}"][-1].max() for run in runs.values() for w in PROJECTIONS)
    some = False
    for k, (axes, (w, title)) in enumerate(zip(row, PROJECTIONS.items(), strict=True)):
        for j, run in enumerate(runs.values()):
            place = k + SHIFT * (2 * j + 1 - len(runs))
            _, color, _ = style(run)
            counts = run.series[f"weight_counts_{w}"].sum((1, 2))
            percent = 100 * counts[-1] / counts[0].sum()
            positive = np.where(percent > 0, percent, np.nan)[first:]
            some |= bool(np.isfinite(positive).any())
            axes.stairs(positive, np.arange(first, len(percent) + 1) * BIN_WIDTH, color=color, lw=0.8)
            p = f"{run.training.deep_optimizer.exponent:g}"
            for below, value, column in (
                (shares, percent[first:].sum(), f"share {p}"),
                (largest, run.series[f"weight_max_{w}"][-1].max(), f"largest {p}"),
            ):
                below.plot(place, value, MARKERS[j], color=color, ms=4)
                below.plot(place, numbers[column][k], **PUBLISHED)
        axes.set(title=title, xlabel="$|w|$", xlim=(above, above + 1.04 * (edge - above)))
        axes.sharey(row[0])
        axes.tick_params(labelleft=axes is row[0])
    row[0].set_ylabel(f"share in %, bins of {BIN_WIDTH:g}")
    # After a short training no weight may be that large.
    row[0].set_yscale("log" if some else "linear")
    for axes in (shares, largest):
        axes.set(xticks=range(len(PROJECTIONS)), xticklabels=PROJECTIONS.values(), xlim=(-0.5, len(PROJECTIONS) - 0.5))
        axes.set_ylim(bottom=0)
        axes.grid(visible=False, axis="x")
    shares.set(title=f"larger than {above:g}" if first else "all", ylabel="share in %")
    largest.set(title="largest weight", ylabel="$\\max\\, |w|$")
    rest.set_axis_off()
    names = [
        Line2D([], [], color=style(run)[1], marker=marker, ms=4, label=style(run)[0])
        for run, marker in zip(runs.values(), MARKERS, strict=False)
    ]
    rest.legend(
        handles=[*names, Line2D([], [], **PUBLISHED, label="published, of a\nlarger network")], loc="center left"
    )
    return figure

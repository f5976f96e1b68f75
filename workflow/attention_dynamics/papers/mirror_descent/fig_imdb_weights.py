"""Histograms of the weights of keys, queries and values."""

import numpy as np
from matplotlib.figure import Figure

from attention_dynamics.deep.training.weight_histogram import BIN_WIDTH
from attention_dynamics.papers.mirror_descent.optimizer_styles import style
from attention_dynamics.plots.style import GRAY, PUBLISHED, legend, panels
from attention_dynamics.run import Run
from attention_dynamics.types import NonNegative, RunName

PROJECTIONS = {"k": "keys", "q": "queries", "v": "values"}


def draw(runs: dict[str, Run], *, above: NonNegative = 0.0) -> Figure:
    """Draw a panel for each of keys, queries and values, with a histogram for every run: shares at the end.

    A dot is the largest weight. above: only weights that are larger, a multiple of the width of a bin. The share of
    these is in the legend.
    """
    figure, row = panels(len(PROJECTIONS), height=2.0, sharex=True, sharey=True)
    first, some = round(above / BIN_WIDTH), False
    largest = max(run.series[f"weight_max_{w}"][-1].max() for run in runs.values() for w in PROJECTIONS)
    for axes, (w, title) in zip(row, PROJECTIONS.items(), strict=True):
        for run in runs.values():
            name, color, _ = style(run)
            counts = run.series[f"weight_counts_{w}"].sum((1, 2))
            edges = np.arange(counts.shape[1] + 1) * BIN_WIDTH
            shares = 100 * counts[-1] / counts[0].sum()
            label = f"{name}: {shares[first:].sum():.2f} %"
            positive = np.where(shares > 0, shares, np.nan)[first:]
            some |= bool(np.isfinite(positive).any())
            axes.stairs(positive, edges[first:], color=color, lw=0.8, label=label)
            # On the lower edge of a logarithmic axis.
            most = run.series[f"weight_max_{w}"][-1].max()
            axes.plot(most, 0.02, "o", color=color, ms=3, clip_on=False, transform=axes.get_xaxis_transform())
        axes.set(title=title, xlabel="$|w|$", xlim=(above, above + 1.04 * (largest - above)))
        axes.legend(loc="upper right", title=f"larger than {above:g}" if first else None)
    row[0].set_ylabel(f"share in %, bins of {BIN_WIDTH:g}")
    # After a short training no weight may be that large.
    row[0].set_yscale("log" if some else "linear")
    return figure


def draw_change(
    runs: dict[str, Run], *, published: dict[RunName, dict[str, NonNegative]], published_start: NonNegative
) -> Figure:
    """Draw the share of weights in each bin at the end over that at the start, a panel for each of the projections.

    published: run -> projection (k, q or v) -> percentage of weights in the first bin at the end, and published_start:
    that at the start; a cross.
    """
    figure, row = panels(len(PROJECTIONS), height=2.0, sharex=True, sharey=True)
    edge = 0.0
    for axes, (w, title) in zip(row, PROJECTIONS.items(), strict=True):
        axes.axhline(1, color=GRAY, lw=0.6, ls=":", label="start")
        for name, run in runs.items():
            label, color, dashes = style(run)
            counts = run.series[f"weight_counts_{w}"].sum((1, 2))
            filled = counts[0] > 0
            edge = max(edge, BIN_WIDTH * (np.flatnonzero(filled)[-1] + 1))
            middle = (np.flatnonzero(filled) + 0.5) * BIN_WIDTH
            axes.plot(middle, counts[-1, filled] / counts[0, filled], color=color, ls=dashes, label=label)
            if w in (ends := published.get(RunName(name), {})):
                marker = {**PUBLISHED, "marker": "x" if name == next(iter(runs)) else "+"}
                axes.plot(BIN_WIDTH / 2, ends[w] / published_start, **marker, label=f"{label}, published")
        axes.set(title=title, xlabel="$|w|$")
    row[0].set(ylabel="share at the end\nover share at the start", xlim=(0, edge), ylim=(0, None))
    legend(figure, row[0])
    return figure

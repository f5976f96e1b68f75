"""Panels about the tokens that training selects on random problems, for every dimension (Figs 9 and 10)."""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from attention_dynamics.plots.style import BLUE, GRAY, GREEN, INK, SMALL_FONT_SIZE, VERMILION, ramp
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.series.confidence import Estimate, estimate_share, wilson_interval
from attention_dynamics.types import Interval

SHARES: dict[str, tuple[str, Callable[[Run], Array]]] = {
    "not saturated": (VERMILION, lambda run: 1 - last(run, "saturated")),
    "LMM (GMM included)": (BLUE, lambda run: last(run, "locally_optimal")),
    "GMM": (GREEN, lambda run: last(run, "globally_optimal")),
}
GAP_COLORS = {"negative": VERMILION, "positive": BLUE}
# Line styles, which the curves take in turn, because the colors of neighboring curves are similar.
DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1, 1.2)))


def last(run: Run, series: str) -> Array:
    """Return the values of a series at the last record for the first start, (problems,)."""
    return run.series[series][-1, :, 0]


def dimensions(run: Run) -> list[int]:
    """Return the dimensions d of the problems of a run, in increasing order."""
    return [int(d) for d in np.unique(run.problem.settings["d"])]


def in_dimension(run: Run, values: Array, d: int) -> Array:
    """Return those of the values, (problems,), that belong to problems in dimension d."""
    return values[run.problem.settings["d"] == d]


def by_dimension(run: Run, values: Array, estimate: Callable[[Array], Estimate]) -> tuple[Array, Array]:
    """Return an estimate for each of m dimensions from the values (problems,): numbers (m,) and error bars (2, m).

    An error bar has two distances from the number: to the lower and to the upper end of the interval. Values that are
    not finite are left out. For a dimension without finite values the results are NaN.
    """
    samples = [in_dimension(run, values, d) for d in dimensions(run)]
    samples = [sample[np.isfinite(sample)] for sample in samples]
    found = [estimate(sample) if len(sample) else None for sample in samples]
    numbers = np.array([(one.value, one.low, one.high) if one else (np.nan,) * 3 for one in found])
    centre, low, high = numbers.T
    return centre, np.array([centre - low, high - centre])


def share(sample: Array) -> Estimate:
    """Return the share of ones in a sample of zeros and ones, with Wilson's interval."""
    return estimate_share(int(sample.sum()), len(sample), "trial")


def share_bars(axes: Axes, run: Run) -> None:
    """Draw the share of trials with each outcome, a group of bars for each dimension, with Wilson's intervals."""
    groups = dimensions(run)
    for k, (label, (color, hits)) in enumerate(SHARES.items()):
        heights, errors = by_dimension(run, hits(run), share)
        places = np.arange(len(groups)) + 0.27 * (k - 1)
        axes.bar(places, heights, 0.25, color=color, label=label)
        # A bar of height zero is invisible, so its error bar is left out, too.
        seen = heights > 0
        axes.errorbar(
            places[seen], heights[seen], errors[:, seen], fmt="none", color=INK, elinewidth=0.6, ecolor=INK, capsize=1
        )
    trials = len(run.problem.labels) // len(groups)
    axes.set(xlabel="dimension $d$", ylabel=f"share of {trials} trials", ylim=(0, 1.02))
    axes.set_xticks(range(len(groups)), map(str, groups))
    axes.grid(visible=False, axis="x")


def gap_histogram(axes: Axes, run: Run, d: int, width: float, reach: Interval) -> None:
    """Draw a histogram of the minimum score gap over the saturated trials in dimension d, colored by sign.

    width: width of a bin. reach: limits of the gaps to draw. The numbers of gaps below and above these limits are
    written into the panel.
    """
    gaps = in_dimension(run, last(run, "score_gap"), d)
    gaps = gaps[np.isfinite(gaps)]
    # Zero is the edge of a bin, so that no bar mixes gaps of both signs.
    edges = width * np.arange(np.floor(reach[0] / width), np.ceil(reach[1] / width) + 1)
    weights = np.full(len(gaps), 1 / max(len(gaps), 1))
    counts, _ = np.histogram(gaps, edges, weights=weights)
    beyond = (
        (0.03, "left", r"$\leftarrow {}$", (gaps < edges[0]).sum()),
        (0.98, "right", r"${} \rightarrow$", (gaps > edges[-1]).sum()),
    )
    negative = edges[:-1] < -width / 2
    axes.bar(edges[:-1], counts, width, align="edge", color=np.where(negative, *GAP_COLORS.values()))
    axes.axvline(0, color=GRAY, ls="--", lw=0.6)
    axes.set(
        xlim=(edges[0], edges[-1]),
        title=f"$d = {d}$: {_percent(gaps < 0)} negative\n{(gaps < 0).sum()} of {len(gaps)} problems",
    )
    for x, side, arrow, count in beyond:
        if count:
            axes.text(
                x, 0.97, arrow.format(count), transform=axes.transAxes, ha=side, va="top", fontsize=SMALL_FONT_SIZE
            )


def _percent(flags: NDArray[np.bool_]) -> str:
    return f"{100 * flags.mean() if len(flags) else 0:.2g} %"


def gap_distribution(axes: Axes, run: Run, xlim: Interval) -> None:
    """Draw the empirical distribution function of the minimum score gap over the saturated trials of each dimension.

    The bands are Wilson's intervals for the values of the function. xlim: limits of the x axis.
    """
    groups = dimensions(run)
    for d, color, dashes in zip(groups, ramp(groups), itertools.cycle(DASHES), strict=False):
        gaps = in_dimension(run, last(run, "score_gap"), d)
        gaps = np.sort(gaps[np.isfinite(gaps)])
        if len(gaps):
            x = np.concatenate([[min(xlim[0], gaps[0])], gaps, [max(xlim[1], gaps[-1])]])
            counts = np.array([0, *range(1, len(gaps) + 1), len(gaps)])
            axes.fill_between(x, *wilson_interval(counts, len(gaps)), step="post", color=color, alpha=0.2, lw=0)
            axes.step(x, counts / len(gaps), where="post", color=color, ls=dashes, label=f"{d} ({len(gaps)})")
    axes.axvline(0, color=GRAY, ls="--", lw=0.7)
    axes.set_xlim(*xlim)
    axes.set(
        xlabel=r"minimum score gap $\Gamma^{\min}$", ylabel="cumulative share\nof saturated trials", ylim=(0, 1.01)
    )

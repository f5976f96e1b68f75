"""Networks trained with several optimizers at the best step sizes of their grids (Fast rates Figs 1, 4, 6 and 7)."""

from collections import defaultdict
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

from attention_dynamics.papers.fast_rates.optimizer_comparison import run_under, target_loss
from attention_dynamics.plots.style import FAINT, GRAY, INK, SMALL_FONT_SIZE, legend, optimizer_style, panels
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run, Runs
from attention_dynamics.types import RunNames

# On batches, the Polyak step is called SPS.
NAMES = {"polyak": "SPS"}
DASHES = {"sgd": (0, (5, 2)), "normalized_sgd": "-", "polyak": (0, (1, 1.2)), "adam": (0, (5, 1.5, 1, 1.5))}
CHANCE = "most frequent class"
LEVEL: dict[str, Any] = {"color": INK, "ls": "-", "lw": 0.6}
# Seeds are drawn as points to the right of the last epoch, in one column per optimizer. Position of the first column
# and distance between columns, relative to the last epoch.
COLUMNS, COLUMN_DISTANCE = 1.03, 0.022
POINTS: dict[str, Any] = {"marker": ".", "ls": "", "ms": 3.2, "mec": "none"}
# Losses of a panel differ much if the largest is more than this many times the smallest.
DIFFER_MUCH = 5
# Ratio of the largest to the smallest loss above which a logarithmic axis has ticks at powers of ten only.
MANY_TICKS = 100
PANELS = (("train_loss", "training loss"), ("test_loss", "test loss"), ("test_accuracy", "test accuracy"))


def draw(runs: Runs, *, target: bool = False, selection: RunNames | None = None) -> Figure:
    """Draw losses and accuracy over the epochs, and the final loss against the step size.

    Lines are means over the seeds. Points are the single seeds at the end of training; in panels over the epochs they
    are to the right of the last epoch.

    target: draw SGD's training loss at the end; claims count the epochs until other optimizers reach it.
    selection: runs on whose grids the step sizes were chosen. The panel of step sizes shows only these; by default it
    shows the runs that are compared.
    """
    grids = {name: run for name, run in runs.items() if not selection or name in selection}
    runs = Runs({name: run for name, run in runs.items() if name not in (selection or ())})
    figure, grid = panels(2, 2, height=1.6)
    row = grid.ravel()
    for axes, (series, label) in zip(row[:-1], PANELS, strict=True):
        last = max(run.steps[-1] for run in runs.values())
        for k, run in enumerate(runs.values()):
            _draw_curve(axes, run, series)
            _draw_seeds(axes, run, series, last * (COLUMNS + k * COLUMN_DISTANCE))
        axes.set(xlabel="epoch", ylabel=label, xlim=(0, last * (COLUMNS + len(runs) * COLUMN_DISTANCE)))
        axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    handles = row[0].get_legend_handles_labels()[0]
    _draw_chance(row[2], next(iter(runs.values())))
    diverged = _draw_grid(row[-1], grids)
    _scale_losses(row[1])
    if target:
        handles.append(_draw_target(row[0], runs))
    else:
        _scale_losses(row[0], row[-1])
    if _both_logarithmic(*row[:2]):
        limits = [axes.get_ylim() for axes in row[:2]]
        for axes in row[:2]:
            axes.set_ylim(min(low for low, _ in limits), max(high for _, high in limits))
    _mark_diverged(row[-1], diverged)
    shown = next(iter(runs.values())).series["best_train_loss"].shape[-1]
    seeds = _final_losses(next(iter(grids.values()))).shape[1]
    means = f"means of {shown} seeds"
    if selection:
        means += " (d: of other seeds, which chose)" if seeds > 1 else " (d: of another seed, which chose)"
    elif seeds > shown:
        means += f" (d: of all {seeds})"
    legend(figure, handles, title=f"lines: {means}; points: the seeds, in a to c at the end")
    return figure


def _style(run: Run) -> tuple[str, str, object]:
    """Return name, color and dashes of a run's optimizer."""
    kind = run.training.deep_optimizer.kind
    name, color = optimizer_style(kind)
    return NAMES.get(kind, name), color, DASHES.get(kind, "-")


def _draw_chance(axes: Axes, run: Run) -> None:
    """Draw the share of the most frequent class in the test data as a labelled line, with room for the label below."""
    labels = run.problem.test_labels
    share = np.bincount(labels).max() / len(labels)
    low, high = axes.get_ylim()
    axes.set_ylim(min(low, share - 0.15 * (high - share)), high)
    axes.axhline(share, label=CHANCE, **LEVEL)
    axes.annotate(
        CHANCE, (0.5, share), (0, -2), xycoords=axes.get_yaxis_transform(), textcoords="offset points",
        ha="center", va="top", color=INK, fontsize=SMALL_FONT_SIZE,
    )  # fmt: skip


def _scale_losses(*panels: Axes) -> None:
    """Make the y axes of panels logarithmic if losses differ much in one of them. Ticks have plain numbers."""
    if not any(_differs_much(axes) for axes in panels):
        return
    lows, highs = zip(*(axes.dataLim.intervaly for axes in panels), strict=True)
    for axes in panels:
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if max(highs) < MANY_TICKS * min(lows) else (1,)))
        axes.yaxis.set_major_formatter("{x:g}")
        axes.yaxis.set_minor_formatter(NullFormatter())


def _differs_much(axes: Axes) -> bool:
    low, high = axes.dataLim.intervaly
    return bool(high > DIFFER_MUCH * low)


def _both_logarithmic(one: Axes, other: Axes) -> bool:
    return one.get_yscale() == other.get_yscale() == "log"


def _draw_target(axes: Axes, runs: Runs) -> Line2D:
    """Draw a line at SGD's final training loss, and return its legend entry.

    Claims count the epochs until optimizers reach this loss. If losses differ much, an inset enlarges the losses that
    are close to this line.
    """
    level = target_loss(run_under(runs, "SGD"))
    line = axes.axhline(level, **LEVEL, label="last loss of SGD (a)")
    if not _differs_much(axes):
        return line
    inset = axes.inset_axes((0.17, 0.17, 0.23, 0.37))
    last = [run.series["best_train_loss"][-1, 0].mean() for run in runs.values()]
    lowest = min(loss for loss in last if loss > level / 2)
    for run in runs.values():
        _draw_curve(inset, run, "train_loss")
    inset.set(xlim=axes.get_xlim(), ylim=(level - 1.25 * abs(level - lowest), level + abs(level - lowest)))
    inset.axhline(level, **LEVEL)
    inset.xaxis.set_major_locator(MaxNLocator(3, integer=True))
    inset.yaxis.set_major_locator(MaxNLocator(3))
    inset.spines[:].set(visible=True, color=FAINT)
    (left, right), (low, high) = inset.get_xlim(), inset.get_ylim()
    axes.indicate_inset((left, low, right - left, high - low), edgecolor=GRAY, lw=0.6)
    return line


def _draw_curve(axes: Axes, run: Run, series: str) -> None:
    _, color, dashes = _style(run)
    axes.plot(run.steps, run.series[f"best_{series}"][:, 0].mean(1), color=color, ls=dashes, label=_best_label(run))


def _draw_seeds(axes: Axes, run: Run, series: str, at: float) -> None:
    """Draw the value of each seed at the end as a point at x = ``at``; a thin line joins the points."""
    values, color = run.series[f"best_{series}"][-1, 0], _style(run)[1]
    axes.vlines(at, values.min(), values.max(), color=color, lw=0.5)
    axes.plot(np.full(len(values), at), values, color=color, **POINTS)


def _best_label(run: Run) -> str:
    """Return the name of a run's optimizer and its best step size, for the legend."""
    name, _ = run.training.deep_optimizer.grid
    best = run.series["best_value"][0, 0, 0]
    return f"{_style(run)[0]}, ${_symbol(name)} = {_number(best)}$"


def _number(value: float) -> str:
    """Return a number as mathtext; a very small or large one as a multiple of a power of ten."""
    mantissa, _, exponent = f"{value:g}".partition("e")
    if not exponent:
        return mantissa
    return rf"{mantissa} \cdot 10^{{{int(exponent)}}}"


def _symbol(name: str) -> str:
    return r"\eta" if name == "lr" else name


def _draw_grid(axes: Axes, runs: dict[str, Run]) -> list[tuple[float, str]]:
    """Draw the training loss at the end for every step size. Runs under the same optimizer are joined to one grid.

    Return pairs (step size with which a training diverged, color of the optimizer).
    """
    diverged, grids = [], defaultdict(list)
    for run in runs.values():
        grids[_style(run)].append(run)
    for (_, color, dashes), group in grids.items():
        values = np.concatenate([run.training.deep_optimizer.grid[1] for run in group])
        order = values.argsort()
        losses = np.concatenate([_final_losses(run) for run in group])[order]
        means = np.concatenate([run.series["grid_train_loss"][-1, 0] for run in group])[order]
        values = values[order]
        finite = np.isfinite(means)
        axes.plot(values[finite], means[finite], color=color, ls=dashes)
        axes.plot(np.repeat(values[finite], losses.shape[1]), losses[finite].ravel(), color=color, **POINTS)
        diverged += [(value, color) for value in values[~finite]]
    axes.set(ylabel="final training loss", xlabel=r"step size $\eta$; for SPS $c$", xscale="log")
    return diverged


def _final_losses(run: Run) -> Array:
    """Return the training loss at the end, (step sizes, seeds)."""
    return np.asarray(run.trajectory["train_loss"][-1].reshape(len(run.training.deep_optimizer.grid[1]), -1))


def _mark_diverged(axes: Axes, diverged: list[tuple[float, str]]) -> None:
    """Draw a cross above the losses for every step size with which a training has diverged."""
    if not diverged:
        return
    low, high = axes.get_ylim()
    logarithmic = axes.get_yscale() == "log"
    above, top = (high * (high / low) ** k if logarithmic else high + k * (high - low) for k in (0.06, 0.14))
    for value, color in diverged:
        axes.plot(value, above, "x", color=color, ms=4.5, mew=1.0)
    first = min(value for value, _ in diverged)
    axes.annotate(
        "diverged", (first, above), (-5, 0), textcoords="offset points", ha="right", va="center", color=INK,
        fontsize=SMALL_FONT_SIZE,
    )  # fmt: skip
    axes.set_ylim(low, top)

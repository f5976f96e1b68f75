"""Networks under several optimizers, the best of a grid of step sizes each (Fast rates Figs 1, 4, 6 and 7)."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

from attention_dynamics.papers.fast_rates.optimizer_comparison import run_under, target_loss
from attention_dynamics.plots.style import FAINT, GRAY, INK, SMALL_FONT_SIZE, legend, optimizer_style, panels
from attention_dynamics.run import Run, Runs
from attention_dynamics.types import RunNames

# The Polyak step with noise has a name of its own.
NAMES = {"polyak": "SPS"}
DASHES = {"sgd": (0, (5, 2)), "normalized_sgd": "-", "polyak": (0, (1, 1.2)), "adam": (0, (5, 1.5, 1, 1.5))}
TARGET: dict[str, Any] = {"color": INK, "ls": "-", "lw": 0.6, "label": "last loss of SGD"}
# The range of the seeds stands behind the last epoch, a bar for each optimizer: distance in widths of the axes.
BARS, BAR_DISTANCE = 1.03, 0.022
CHANCE: dict[str, Any] = {"color": GRAY, "ls": "-", "lw": 0.7, "label": "most frequent class"}
# Ratio of the largest to the smallest loss in a panel from which on its scale is logarithmic.
LOGARITHMIC_FROM = 5
PANELS = (("train_loss", "training loss"), ("test_loss", "test loss"), ("test_accuracy", "test accuracy"))


def draw(runs: Runs, *, target: bool = False, selection: RunNames | None = None) -> Figure:
    """Draw losses and accuracy over the epochs, and the final loss against the step size.

    Lines are means of the seeds; the range at the end is a bar behind the last epoch.

    target: draw the loss until which claims count epochs, that of SGD at the end. selection: the runs whose grids the
    step sizes were chosen from, which alone are in the panel of step sizes; by default, those that are compared.
    """
    grids = {name: run for name, run in runs.items() if not selection or name in selection}
    runs = Runs({name: run for name, run in runs.items() if name not in (selection or ())})
    figure, grid = panels(2, 2, height=1.6)
    row = grid.ravel()
    for axes, (series, label) in zip(row[:-1], PANELS, strict=True):
        last = max(run.steps[-1] for run in runs.values())
        for k, run in enumerate(runs.values()):
            _draw_curve(axes, run, series)
            _draw_range(axes, run, series, last * (BARS + k * BAR_DISTANCE))
        axes.set(xlabel="epoch", ylabel=label, xlim=(0, last * (BARS + len(runs) * BAR_DISTANCE)))
        axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    handles = row[0].get_legend_handles_labels()[0]
    if target:
        level = target_loss(run_under(runs, "SGD"))
        handles.append(row[0].axhline(level, **TARGET))
    handles.append(_draw_chance(row[2], next(iter(runs.values()))))
    diverged = _draw_grid(row[-1], grids)
    _scale_losses(row[1])
    _scale_losses(row[0], row[-1])
    if _both_logarithmic(*row[:2]):
        limits = [axes.get_ylim() for axes in row[:2]]
        for axes in row[:2]:
            axes.set_ylim(min(low for low, _ in limits), max(high for _, high in limits))
    if target and row[0].get_yscale() == "log":
        _enlarge_target(row[0], runs, level)
    _mark_diverged(row[-1], diverged)
    if diverged:
        handles.append(Line2D([], [], color=GRAY, ls="", marker="x", label="diverged"))
    seeds = next(iter(runs.values())).series["best_train_loss"].shape[-1]
    legend(figure, handles, columns=4, title=f"mean of {seeds} seeds; bars behind the last epoch: their range")
    return figure


def _style(run: Run) -> tuple[str, str, object]:
    """Return name, color and dashes of a run's optimizer."""
    kind = run.training.deep_optimizer.kind
    name, color = optimizer_style(kind)
    return NAMES.get(kind, name), color, DASHES.get(kind, "-")


def _draw_chance(axes: Axes, run: Run) -> Line2D:
    """Draw the share of the most frequent class in the test, above the lower end of the axes."""
    labels = run.problem.test_labels
    share = np.bincount(labels).max() / len(labels)
    low, high = axes.get_ylim()
    axes.set_ylim(min(low, share - 0.05 * (high - share)), high)
    return axes.axhline(share, **CHANCE)


def _scale_losses(*panels: Axes) -> None:
    """Make the scale of panels logarithmic where losses differ much in one, with plain numbers in either case."""
    if all(high <= LOGARITHMIC_FROM * low for low, high in (axes.dataLim.intervaly for axes in panels)):
        return
    for axes in panels:
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter("{x:g}")
        axes.yaxis.set_minor_formatter(NullFormatter())


def _both_logarithmic(one: Axes, other: Axes) -> bool:
    return one.get_yscale() == other.get_yscale() == "log"


def _enlarge_target(axes: Axes, runs: dict[str, Run], level: float) -> None:
    """Draw the training loss again, on a linear scale, around a level that the logarithmic scale presses together."""
    inset = axes.inset_axes((0.12, 0.09, 0.46, 0.46))
    inset.set_title("enlarged, same epochs", fontsize=SMALL_FONT_SIZE, pad=2)
    last = [run.series["best_train_loss"][-1, 0].mean() for run in runs.values()]
    lowest = min(loss for loss in last if loss > level / 2)
    for run in runs.values():
        _draw_curve(inset, run, "train_loss")
    inset.axhline(level, **TARGET)
    inset.set(xlim=axes.get_xlim(), ylim=(level - 1.25 * abs(level - lowest), level + abs(level - lowest)))
    inset.xaxis.set_major_locator(axes.xaxis.get_major_locator())
    inset.tick_params(labelbottom=False)
    inset.yaxis.set_major_locator(MaxNLocator(3))
    inset.spines[:].set(visible=True, color=FAINT)


def _draw_curve(axes: Axes, run: Run, series: str) -> None:
    _, color, dashes = _style(run)
    axes.plot(run.steps, run.series[f"best_{series}"][:, 0].mean(1), color=color, ls=dashes, label=_best_label(run))


def _draw_range(axes: Axes, run: Run, series: str, at: float) -> None:
    values = run.series[f"best_{series}"][-1, 0]
    axes.vlines(at, values.min(), values.max(), color=_style(run)[1], lw=2)
    axes.plot(at, values.mean(), "_", color=INK, ms=2.5, mew=0.7)


def _best_label(run: Run) -> str:
    """Return the optimizer and the step size that the curves are of."""
    name, _ = run.training.deep_optimizer.grid
    best = run.series["best_value"][0, 0, 0]
    return f"{_style(run)[0]}, ${_symbol(name)} = {_number(best)}$"


def _number(value: float) -> str:
    """Return a number as mathtext: very small ones as a multiple of a power of ten."""
    mantissa, _, exponent = f"{value:g}".partition("e")
    if not exponent:
        return mantissa
    return rf"{mantissa} \cdot 10^{{{int(exponent)}}}"


def _symbol(name: str) -> str:
    return r"\eta" if name == "lr" else name


def _draw_grid(axes: Axes, runs: dict[str, Run]) -> list[tuple[float, str]]:
    """Draw the mean training loss at the end for every step size; return step size and color where one diverged."""
    diverged = []
    for run in runs.values():
        _, color, dashes = _style(run)
        _, values = run.training.deep_optimizer.grid
        losses = run.series["grid_train_loss"][-1, 0]
        finite = np.isfinite(losses)
        axes.plot(np.array(values)[finite], losses[finite], color=color, ls=dashes, marker="o", ms=2.5)
        diverged += [(value, color) for value in np.array(values)[~finite]]
    axes.set(ylabel="final training loss", xlabel=r"step size $\eta$; for SPS $c$", xscale="log")
    return diverged


def _mark_diverged(axes: Axes, diverged: list[tuple[float, str]]) -> None:
    """Draw a cross above the losses for every step size with which a training has diverged."""
    low, high = axes.get_ylim()
    logarithmic = axes.get_yscale() == "log"
    above, top = (high * (high / low) ** k if logarithmic else high + k * (high - low) for k in (0.06, 0.14))
    for value, color in diverged:
        axes.plot(value, above, "x", color=color, ms=4.5, mew=1.0)
    if diverged:
        axes.set_ylim(low, top)

"""Networks under several optimizers, the best of a grid of step sizes each (Fast rates Figs 1, 4, 6 and 7)."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

from attention_dynamics.plots.style import BLUE, GRAY, GREEN, INK, RED, panels
from attention_dynamics.run import Run

STYLES = {
    "sgd": ("SGD", BLUE, (0, (5, 2))), "normalized_sgd": ("SNGD", RED, "-"), "polyak": ("SPS", GREEN, (0, (1, 1.2))),
    "adam": ("Adam", INK, (0, (5, 1.5, 1, 1.5))),
}  # fmt: skip
# Ratio of the largest to the smallest loss in a panel from which on its scale is logarithmic.
LOGARITHMIC_FROM = 5
PANELS = (("train_loss", "training loss"), ("test_loss", "test loss"), ("test_accuracy", "test accuracy"))


def draw(runs: dict[str, Run]) -> Figure:
    """Draw losses and accuracy over the epochs, mean and range of the seeds, and the final loss against the step size.

    Runs without a grid, which are pre-trainings, are left out.
    """
    runs = {name: run for name, run in runs.items() if "best_value" in run.series}
    figure, row = panels(2.9, 2.8, len(PANELS) + 1)
    for axes, (series, title) in zip(row[:-1], PANELS, strict=True):
        for run in runs.values():
            _draw_curve(axes, run, series)
        axes.set(title=title, xlabel="epochs", xlim=(0, max(run.steps[-1] for run in runs.values())))
        axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
        if series != "test_accuracy":
            _scale_losses(axes)
    _draw_grid(row[-1], runs)
    figure.legend(*row[0].get_legend_handles_labels(), loc="outside upper right", ncols=len(runs))
    return figure


def _scale_losses(axes: Axes) -> None:
    """Make the scale logarithmic where losses differ much, with plain numbers in either case."""
    low, high = axes.dataLim.intervaly
    if high > LOGARITHMIC_FROM * low:
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter("{x:g}")
        axes.yaxis.set_minor_formatter(NullFormatter())


def _draw_curve(axes: Axes, run: Run, series: str) -> None:
    _, color, dashes = STYLES[run.training.deep_optimizer.kind]
    values = run.series[f"best_{series}"][:, 0]
    axes.fill_between(run.steps, values.min(1), values.max(1), color=color, alpha=0.15, lw=0)
    axes.plot(run.steps, values.mean(1), color=color, ls=dashes, label=_best_label(run))


def _best_label(run: Run) -> str:
    """Return the optimizer and the step size that the curves are of."""
    name, _ = run.training.deep_optimizer.grid
    best = run.series["best_value"][0, 0, 0]
    return f"{STYLES[run.training.deep_optimizer.kind][0]}, ${_symbol(name)} = {best:g}$"


def _symbol(name: str) -> str:
    return r"\eta" if name == "lr" else name


def _draw_grid(axes: Axes, runs: dict[str, Run]) -> None:
    """Draw the mean training loss at the end for every step size; a cross on top where a training has diverged."""
    diverged = []
    for run in runs.values():
        _, color, dashes = STYLES[run.training.deep_optimizer.kind]
        _, values = run.training.deep_optimizer.grid
        losses = run.series["grid_train_loss"][-1, 0]
        finite = np.isfinite(losses)
        axes.plot(np.array(values)[finite], losses[finite], color=color, ls=dashes, marker="o", ms=4)
        diverged += [(value, color) for value in np.array(values)[~finite]]
    axes.set(title="loss over the grid", xlabel=r"step size $\eta$; for SPS $c$", xscale="log")
    _scale_losses(axes)
    top = axes.get_ylim()[1]
    for value, color in diverged:
        axes.plot(value, top, "x", color=color, ms=7, mew=1.6, clip_on=False)
    if diverged:
        axes.annotate("x: diverged", (0.03, 0.92), xycoords="axes fraction", fontsize=8, color=GRAY)
        axes.set_ylim(top=top)

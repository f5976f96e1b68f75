"""A vision transformer under five optimizers: test accuracy, time and weights."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from attention_dynamics.deep.weight_histogram import BIN_WIDTH
from attention_dynamics.papers.mirror_descent.near_zero import START_SHARE, share_near_zero
from attention_dynamics.papers.mirror_descent.optimizer_styles import exponent_of, style
from attention_dynamics.plots.style import GRAY, PUBLISHED, legend, panels
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.series.published import published

PROJECTIONS = {"k": "keys", "q": "queries", "v": "values"}
# Number of classes -> name of the published data set. Its stand-in has the same number of classes.
DATASETS = {10: "cifar10", 100: "cifar100"}
PUBLISHED_EPOCHS = 2000
# Largest absolute value of the published initial weights, which are uniformly distributed.
PUBLISHED_EDGE = 512**-0.5
# Percentage of initial weights with |w| < 0.005 in the histograms of the authors' earlier code.
EARLIER_START_PERCENT = 11.3
SECONDS_PER_HOUR = 3600
# Marker of the numbers of the authors' earlier code. PUBLISHED is the marker for their newer code.
EARLIER = PUBLISHED | {"marker": "+"}


def draw(runs: dict[str, Run]) -> Figure:
    """Draw the test accuracy over the epochs, on the left, and after the last epoch, on the right.

    Both panels have means and ranges over the seeds, and published numbers. For CIFAR-10 the curves of the authors'
    earlier code are drawn, too. Each of these has the line style of our curve for the same optimizer.
    """
    figure, (curves, ends) = panels(2, height=2.3, width_ratios=(3, 2))
    for run in runs.values():
        name, color, dashes = style(run)
        values = run.series["test_accuracy"][:, 0]
        curves.fill_between(run.steps, values.min(1), values.max(1), color=color, alpha=0.2, lw=0)
        curves.plot(run.steps, values.mean(1), color=color, ls=dashes, label=name)
    dataset = dataset_of(next(iter(runs.values())))
    five, earlier = published(__file__, "fig_vit_five"), published(__file__, "fig_vit_accuracy")
    draw_by_optimizer(ends, runs, {name: run.series["test_accuracy"][-1, 0] for name, run in runs.items()})
    marks = [number_of(five, run, f"accuracy_{dataset}") for run in runs.values()]
    ends.plot(range(len(runs)), marks, **PUBLISHED, label="published")
    for place, run in enumerate(runs.values() if dataset == "cifar10" else ()):
        if (column := f"{exponent_of(run):g}") in earlier:
            known = np.isfinite(earlier[column])
            name, _, dashes = style(run)
            line = EARLIER | {"ms": 3.5, "mew": 0.7, "lw": 0.6, "ls": dashes, "label": f"{name}, published earlier"}
            curves.plot(earlier["epoch"][known], earlier[column][known], **line)
            ends.plot(place, earlier[column][-1], **EARLIER)
    curves.set(xlabel="epoch", ylabel="test accuracy", ylim=(0, 1))
    if dataset == "cifar10":
        # The x axis is logarithmic, because the published trainings are much longer than ours.
        curves.set(xscale="log", xlim=(1, 1.1 * max(earlier["epoch"][-1], next(iter(runs.values())).last_step)))
        curves.xaxis.set_major_formatter("{x:g}")
    ends.set(title="at the end", ylabel="test accuracy", ylim=np.clip(ends.get_ylim(), 0, 1))
    legend(figure)
    return figure


def draw_time(runs: dict[str, Run]) -> Figure:
    """Draw the time of training under each optimizer relative to Adam's, a panel for each data set.

    Our times are CPU times, mean and range of the seeds; published times are wall-clock times.
    """
    five = published(__file__, "fig_vit_five")
    groups: dict[str, dict[str, Run]] = {}
    for name, run in runs.items():
        groups.setdefault(dataset_of(run), {})[name] = run
    figure, row = panels(len(groups), height=2.0, sharey="row", squeeze=False)
    for axes, (dataset, mine) in zip(row.flat, groups.items(), strict=True):
        totals = {name: run.series["cpu_seconds"][-1, 0] for name, run in mine.items()}
        hours = {name: number_of(five, run, f"hours_{dataset}") for name, run in mine.items()}
        (adam,) = (name for name, run in mine.items() if not exponent_of(run))
        draw_by_optimizer(axes, mine, {name: total / totals[adam] for name, total in totals.items()})
        axes.plot(range(len(mine)), [one / hours[adam] for one in hours.values()], **PUBLISHED)
        classes = next(iter(mine.values())).problem.classes
        axes.set_title(f"{classes} classes, Adam: {_duration(totals[adam].mean())} (published {hours[adam]:.0f} h)")
    row.flat[0].set_ylim(bottom=0)
    row.flat[0].set_ylabel("time over Adam's")
    handles = [Line2D([], [], color=GRAY, marker="o", ls="", label="ours, mean and range of the seeds")]
    legend(figure, [*handles, Line2D([], [], **PUBLISHED, label=f"published, {PUBLISHED_EPOCHS} epochs")])
    return figure


def _duration(seconds: float) -> str:
    hour = SECONDS_PER_HOUR
    return f"{seconds / hour:.1f} h" if seconds > hour else f"{seconds:.0f} s"


def draw_weights(runs: dict[str, Run]) -> Figure:
    """Draw how the absolute weights of keys, queries and values change in training, a column of panels for each.

    All numbers are ratios of the end to the start of training. Rows, from top to bottom: the share of weights in each
    bin, all seeds together; the share near zero (``near_zero``); the largest weight. The last two rows show means and
    ranges over the seeds. Crosses and plus signs are published numbers.
    """
    figure, rows = panels(len(PROJECTIONS), 3, height=1.45, sharex="row", sharey="row")
    dataset = dataset_of(next(iter(runs.values())))
    five, earlier = published(__file__, "fig_vit_five"), published(__file__, "fig_vit_earlier")
    for (bins, shares, largest), (w, title) in zip(rows.T, PROJECTIONS.items(), strict=True):
        edge, near, most = 0.0, {}, {}
        bins.axhline(1, color=GRAY, lw=0.6, ls=":", label="start")
        for name, run in runs.items():
            label, color, dashes = style(run)
            counts = run.series[f"weight_counts_{w}"].sum((1, 2))
            filled = np.flatnonzero(counts[0] > 0)
            edge = max(edge, BIN_WIDTH * (filled[-1] + 1))
            middle = (filled + 0.5) * BIN_WIDTH
            bins.plot(middle, counts[-1, filled] / counts[0, filled], color=color, ls=dashes, label=label)
            near[name] = share_near_zero(run, w)[-1] / share_near_zero(run, w)[0]
            most[name] = run.series[f"weight_max_{w}"][-1, 0] / run.series[f"weight_max_{w}"][0, 0]
        for axes, values, quantity, start, start_earlier in (
            (shares, near, "share", 100 * START_SHARE, EARLIER_START_PERCENT),
            (largest, most, "largest", PUBLISHED_EDGE, PUBLISHED_EDGE),
        ):
            axes.axhline(1, color=GRAY, lw=0.6, ls=":")
            draw_by_optimizer(axes, runs, values)
            marks = [number_of(five, run, f"{quantity}_{w}_{dataset}") / start for run in runs.values()]
            axes.plot(range(len(runs)), marks, **PUBLISHED, label="published")
            if dataset == "cifar10":
                marks = [number_of(earlier, run, f"{quantity}_{w}") / start_earlier for run in runs.values()]
                axes.plot(range(len(runs)), marks, **EARLIER, label="published earlier")
        bins.set(title=title, xlabel="$|w|$", xlim=(0, edge))
        largest.set_yscale("log")
    # Set last, because the panels of a row share their y axis, whose upper end is known only after all are drawn.
    for axes in rows[:2, 0]:
        axes.set_ylim(bottom=0)
    for axes, label in zip(rows[:, 0], ("share in a bin", "share near zero", r"$\max\, |w|$"), strict=True):
        axes.set_ylabel(f"{label}\nover the start's")
    legend(figure)
    return figure


def dataset_of(run: Run) -> str:
    """Return the name of the published data set that a run uses or replaces by a stand-in."""
    return DATASETS[run.problem.classes]


def number_of(numbers: dict[str, Array], run: Run, column: str) -> float:
    """Return the published number in a column for the optimizer of a run; NaN if there is none."""
    found = numbers[column][numbers["exponent"] == exponent_of(run)]
    return float(found[0]) if len(found) else np.nan


def draw_by_optimizer(axes: Axes, runs: dict[str, Run], values: dict[str, Array]) -> None:
    """Draw the mean and range of each run's values side by side. values: name of a run -> (seeds,)."""
    for place, (name, run) in enumerate(runs.items()):
        mean, color = values[name].mean(), style(run)[1]
        ends = [[mean - values[name].min()], [values[name].max() - mean]]
        axes.errorbar([place], [mean], ends, color=color, fmt="o", ms=3.5, lw=0.8)
    names = [style(run)[0].removesuffix("-MD") for run in runs.values()]
    axes.set(xticks=range(len(runs)), xticklabels=names, xlim=(-0.6, len(runs) - 0.4))
    axes.grid(visible=False, axis="x")
    axes.margins(y=0.15)

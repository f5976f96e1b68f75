"""Joint l_p mirror descent on W and the head: paths, and probabilities of the selected tokens."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_dynamics.papers.mirror_descent.exponent_styles import exponent
from attention_dynamics.plots.panels import PathPanels
from attention_dynamics.plots.planar import arrow, starts
from attention_dynamics.plots.style import BLUE, GREEN, legend, panels
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.types import RecordedStep, ReferenceName

# Series, label, color, line style.
PROBABILITIES = (("selected_logistic", "logistic", GREEN, "-"), ("softmax_selected", "softmax", BLUE, "--"))


def draw_paths(runs: dict[str, Run], *, panel: PathPanels, attention: ReferenceName, head: ReferenceName) -> Figure:
    """Draw one panel per entry of ``panel``: the path of the first two entries of W, and that of the head.

    Each comes with its SVM direction, attention or head, drawn as far as the path reaches, dashed in its colour.
    """
    figure, row = panels(len(panel), height=1.95)
    row = np.atleast_1d(row)
    for axes, one in zip(row, panel, strict=True):
        run = runs[one.run]
        for parameter, reference, color, labels, arrows in (
            ("p", attention, BLUE, ("$W$", r"$\ell_p$-AttSVM"), one.arrows),
            ("v", head, GREEN, ("$v$", r"$\ell_p$-SVM"), one.head_arrows),
        ):
            path = run.trajectory[parameter][:, 0, 0, :2]
            _draw_path(axes, path, run.references[reference]["weights"][0, :2], color, labels)
            starts(axes, path[:1], "start" if parameter == "p" else None)
            for step in arrows:
                arrow(axes, path, run.at(step), color, size=6)
        axes.set(title=f"$p = {exponent(run):g}$", xlim=one.xlim, ylim=one.ylim, aspect="equal")
        axes.set(xlabel="$W_{0,0}$, $v_0$", ylabel="$W_{0,1}$, $v_1$")
    legend(figure, row[0])
    return figure


def draw_probabilities(runs: dict[str, Run], *, until: RecordedStep) -> Figure:
    """Draw one panel per run: probabilities of the selected tokens, up to the iteration ``until``."""
    figure, row = panels(len(runs), height=1.7, sharey=True)
    row = np.atleast_1d(row)
    for axes, run in zip(row, runs.values(), strict=True):
        end = run.at(until) + 1
        for series, label, color, dashes in PROBABILITIES:
            axes.plot(run.steps[:end], run.series[series][:end, 0, 0], color=color, ls=dashes, label=label)
        axes.set(title=f"$p = {exponent(run):g}$", xlabel="iteration $k$", xlim=(0, until))
    row[0].set(ylabel="probability of\nthe selected tokens", ylim=(0.3, 1.02))
    row[-1].legend(loc="lower right")
    return figure


def _draw_path(axes: Axes, path: Array, target: Array, color: str, labels: tuple[str, str]) -> None:
    axes.plot(*path.T, color=color, label=labels[0])
    end = target * np.linalg.norm(path[-1]) / np.linalg.norm(target)
    axes.plot([0, end[0]], [0, end[1]], color=color, ls="--", label=labels[1])

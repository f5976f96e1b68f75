"""Joint l_p mirror descent on W and the head: paths, and probabilities of the selected tokens."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_dynamics.papers.mirror_descent.exponent_styles import exponent
from attention_dynamics.plots.panels import PathPanels
from attention_dynamics.plots.planar import arrow
from attention_dynamics.plots.style import BLUE, GREEN, ORANGE, RED, panels
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.types import RecordedStep, ReferenceName

# Series, label, color, line style.
PROBABILITIES = (("selected_logistic", "logistic", BLUE, "-"), ("softmax_selected", "softmax", ORANGE, "--"))


def draw_paths(runs: dict[str, Run], *, panel: PathPanels, attention: ReferenceName, head: ReferenceName) -> Figure:
    """Draw one panel per entry of ``panel``: the path of the first two entries of W, and that of the head.

    Each comes with its SVM direction, attention or head, drawn as far as the path reaches.
    """
    figure, row = panels(3.6, 3.4, len(panel))
    row = np.atleast_1d(row)
    for axes, one in zip(row, panel, strict=True):
        run = runs[one.run]
        for parameter, reference, colors, label, arrows in (
            ("p", attention, (BLUE, ORANGE), ("$W$", r"$\ell_p$-AttSVM"), one.arrows),
            ("v", head, (GREEN, RED), ("$v$", r"$\ell_p$-SVM"), one.head_arrows),
        ):
            path = run.trajectory[parameter][:, 0, 0, :2]
            _draw_path(axes, path, run.references[reference]["weights"][0, :2], colors, label)
            for step in arrows:
                arrow(axes, path, run.at(step), colors[0], size=9)
        axes.set(title=f"$p = {exponent(run):g}$", xlim=one.xlim, ylim=one.ylim)
        axes.set(xlabel="$W_{00}$, $v_0$", ylabel="$W_{01}$, $v_1$")
    row[0].legend(fontsize=8, loc="upper left")
    return figure


def draw_probabilities(runs: dict[str, Run], *, until: RecordedStep) -> Figure:
    """Draw one panel per run: probabilities of the selected tokens, up to the iteration ``until``."""
    figure, row = panels(3.5, 2.8, len(runs))
    row = np.atleast_1d(row)
    for axes, run in zip(row, runs.values(), strict=True):
        end = run.at(until) + 1
        for series, label, color, dashes in PROBABILITIES:
            axes.plot(run.steps[:end], run.series[series][:end, 0, 0], color=color, ls=dashes, label=label)
        axes.set(title=f"$p = {exponent(run):g}$", xlabel="iterations", ylim=(0.3, 1.02), xlim=(0, until))
    row[0].set_ylabel("probability")
    row[-1].legend(loc="lower right")
    return figure


def _draw_path(axes: Axes, path: Array, target: Array, colors: tuple[str, str], labels: tuple[str, str]) -> None:
    axes.plot(*path.T, color=colors[0], label=labels[0])
    end = target * np.linalg.norm(path[-1]) / np.linalg.norm(target)
    axes.plot([0, end[0]], [0, end[1]], color=colors[1], ls="--", label=labels[1])

"""Logistic and softmax probability of the selected tokens at the beginning of joint training."""

import numpy as np
from matplotlib.figure import Figure

from attention_dynamics.plots.mirror_descent.exponents import exponent
from attention_dynamics.plots.style import BLUE, ORANGE, panels
from attention_dynamics.run import Run
from attention_dynamics.types import RecordedStep


def draw(runs: dict[str, Run], *, shown: RecordedStep) -> Figure:
    """One panel per run, up to the iteration ``shown``."""
    figure, row = panels(3.5, 2.8, len(runs))
    row = np.atleast_1d(row)
    for axes, run in zip(row, runs.values(), strict=True):
        last = run.at(shown) + 1
        looks = (("selected_logistic", "logistic", BLUE, "-"), ("softmax_selected", "softmax", ORANGE, "--"))
        for series, label, color, dashes in looks:
            axes.plot(run.steps[:last], run.series[series][:last, 0, 0], color=color, ls=dashes, label=label)
        axes.set(title=f"$p = {exponent(run):g}$", xlabel="iterations", ylim=(0.3, 1.02), xlim=(0, shown))
    row[0].set_ylabel("probability")
    row[-1].legend(loc="lower right")
    return figure

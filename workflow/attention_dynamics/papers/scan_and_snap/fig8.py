"""Fig 8: the decoder's logit in steps and in continuous time."""

import numpy as np
from matplotlib.figure import Figure

from attention_dynamics.papers.scan_and_snap.learning_rates import style
from attention_dynamics.plots.panels import RunPanels
from attention_dynamics.plots.style import panels
from attention_dynamics.run import Run


def draw(runs: dict[str, Run], *, panel: RunPanels) -> Figure:
    """Draw a panel for each entry of ``panel``: h* as steps, h as a curve, for each learning rate, up to ``until``."""
    figure, row = panels(4.6, 3.3, len(panel))
    row = np.atleast_1d(row)
    for axes, one in zip(row, panel, strict=True):
        run = runs[one.run]
        last = run.at(one.until) + 1
        for k, eta_Y in enumerate(run.training.eta_Y):
            color, steps = style(k)["color"], run.steps[:last]
            h_star, h = (run.series[name][:last, 0, k] for name in ("h_star", "h"))
            axes.step(steps, h_star, where="post", color=color, lw=1, label=f"$\\eta_Y = {eta_Y:g}$")
            axes.plot(steps, h, color=color, ls="--")
        axes.set(title=one.title, xlabel="$t$", xlim=(0, one.until))
        axes.set_ylim(bottom=0)
        axes.legend(loc="lower right", fontsize=8)
    row[0].set_ylabel("$h^*$ (steps), $h$ (dashed)")
    return figure

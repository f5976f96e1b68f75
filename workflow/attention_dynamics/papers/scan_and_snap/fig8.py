"""Fig 8: the decoder's logit after discrete steps, h*, and in continuous time, h."""

import numpy as np
from matplotlib.figure import Figure

from attention_dynamics.papers.scan_and_snap.rate_styles import styles
from attention_dynamics.plots.panels import RunPanels
from attention_dynamics.plots.style import label_ends, panels
from attention_dynamics.run import Run


def draw(runs: dict[str, Run], *, panel: RunPanels) -> Figure:
    """Draw a panel for each entry of ``panel``, up to its step ``until``, with two curves for each learning rate.

    h* is drawn as dots at the steps, h as a line. Dots lie on the line or above it, because h* >= h (Lemma 7).
    """
    figure, row = panels(len(panel), height=2.2)
    row = np.atleast_1d(row)
    # A learning rate has the same color in all panels.
    looks = styles(eta_Y for one in panel for eta_Y in runs[one.run].training.eta_Y)
    for axes, one in zip(row, panel, strict=True):
        run, ends = runs[one.run], []
        last = run.at(one.until) + 1
        for k, eta_Y in enumerate(run.training.eta_Y):
            color, steps = looks[float(eta_Y)]["color"], run.steps[:last]
            h_star, h = (run.series[name][:last, 0, k] for name in ("h_star", "h"))
            axes.plot(steps, h_star, "o", color=color, ms=1.4, mew=0, label="$h^*$, in steps" if k == 0 else None)
            axes.plot(steps, h, color=color, lw=0.7, label="$h$, in continuous time" if k == 0 else None)
            ends.append((float(h[-1]), rf"$\eta_Y = {eta_Y:g}$", color))
        axes.set(title=one.title, xlabel="step $t$", xlim=(0, one.until))
        axes.set_ylim(bottom=0)
        label_ends(axes, ends)
    row[0].set_ylabel("decoder's logit, $h^*$ or $h$")
    row[0].legend(loc="lower right", bbox_to_anchor=(1.0, 0.02))
    return figure

"""Extension: the two stages of training (Lemma 9 and Theorem 4)."""

import numpy as np
from matplotlib.figure import Figure

from attention_dynamics.plots.style import BLUE, GRAY, INK, ORANGE, panels
from attention_dynamics.run import Run


def draw(runs: dict[str, Run]) -> Figure:
    """Draw gamma and B over time in units of t0', each with its early and its late rate, for the first run."""
    run = next(iter(runs.values()))
    figure, row = panels(2, height=2.0)
    visible = run.steps >= 0.1
    t = run.steps[visible]
    series = {name: values[visible, 0, 0] for name, values in run.series.items()}
    row[0].plot(t, series["speed"], color=INK, label=r"$\gamma$")
    row[0].plot(t, series["speed_rate"], color=BLUE, ls="--", label="Lemma 9")
    row[0].plot(t, series["late_rate"], color=ORANGE, ls="--", label="late rate of Theorem 1")
    row[0].set(xscale="log", yscale="log", ylabel=r"speed of attention $\gamma$")
    row[1].plot(t, series["printed_exponent"], color=INK, label="$B_n$, equation 129")
    row[1].plot(t, series["exponent_rate"], color=BLUE, ls="--", label="Theorem 4")
    row[1].set(xscale="log", ylabel="growth exponent $B_n$")
    for axes in row:
        for x in (1.0, float(series["snapping_start"][0] / series["scanning_end"][0])):
            axes.axvline(x, color=GRAY, ls=":", lw=0.7)
        axes.set_xlabel("$t / t_0'$")
        axes.legend(loc="lower right" if axes is row[1] else "lower left")
    row[0].set_ylim(bottom=float(np.nanmin(series["late_rate"])) / 2)
    return figure

"""Extension: what the published guard against division by zero does to direction and norm."""

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from attention_dynamics.plots.mirror_descent.exponents import color, exponent
from attention_dynamics.plots.style import GRAY, panels
from attention_dynamics.run import Run
from attention_dynamics.types import ReferenceName


def draw(runs: dict[str, Run], *, reference: ReferenceName) -> Figure:
    """Two panels over the iterations, both axes logarithmic: divergence from the SVM, and norm of W; a curve per run,
    dashed with the guard.
    """
    figure, (divergence, norm) = panels(4.0, 3.2, 2)
    for run in runs.values():
        look = {"color": color(exponent(run)), "ls": "--" if run.settings["optimizer"]["epsilon"] else "-"}
        divergence.plot(run.steps[1:], run.series[f"bregman_{reference}"][1:, 0, 0], **look)
        norm.plot(run.steps[1:], run.series["lp_norm_p"][1:, 0, 0], **look)
    for axes, title in ((divergence, r"divergence from $\ell_p$-AttSVM"), (norm, r"$\|W\|_p$")):
        axes.set(title=title, xscale="log", yscale="log", xlabel="iterations")
    exponents = dict.fromkeys(exponent(run) for run in runs.values())
    handles = [Line2D([], [], color=color(p), label=f"$p = {p:g}$") for p in exponents]
    handles += [
        Line2D([], [], color=GRAY, label="no guard"),
        Line2D([], [], color=GRAY, ls="--", label="guard, as published"),
    ]
    divergence.legend(handles=handles, loc="lower left", fontsize=8)
    return figure

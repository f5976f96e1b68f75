"""Extension: training W with a fixed query is training p (Lemma 1), for both ways to write the logits."""

from matplotlib.figure import Figure

from attention_dynamics.plots.style import BLUE, GRAY, ORANGE, legend, panels
from attention_dynamics.run import Run
from attention_dynamics.types import Positive


def draw(runs: dict[str, Run], *, tolerance: Positive) -> Figure:
    """Draw the largest entry of W(t) minus the image of p(t), on a logarithmic axis. tolerance: a line to draw."""
    figure, axes = panels(height=2.2, width=3.4)
    for run in runs.values():
        if "mapping_error" not in run.series:
            continue
        transposed = run.training.model.transposed
        label = (
            r"$XW^\top u$ (the paper's): $W = u\,p^\top/\|u\|^2$" if transposed else r"$XWu$: $W = p\,u^\top/\|u\|^2$"
        )
        error = run.series["mapping_error"][:, 0, 0]
        style = {"color": BLUE, "ls": "--"} if transposed else {"color": ORANGE, "ls": "-"}
        axes.plot(run.steps[1:], error[1:].clip(1e-18), label=label, lw=0.7, **style)
    axes.axhline(tolerance, color=GRAY, lw=0.8, ls=":", label="tolerance of the claim")
    axes.set(
        xlabel="iteration $t$",
        ylabel=r"$\|W(t) - \mathrm{image\ of\ } p(t)\|_{\max}$",
        yscale="log",
        ylim=(1e-18, 1e-9),
    )
    legend(figure, place="below", columns=1, title="logits, and the image of $p$")
    return figure

"""Extension: the residual connection (Section 7)."""

from matplotlib.figure import Figure

from attention_dynamics.plots.style import BLUE, GREEN, INK, ORANGE, PURPLE, panels
from attention_dynamics.run import Run

# Kind of token -> its number in the problem, colour and line; of those of the first class.
KINDS = {
    "in all classes": (0, ORANGE, "-"),
    "in both classes of its query": (1, PURPLE, "--"),
    "in one class of each query": (3, GREEN, "--"),
    "in one class": (5, BLUE, "-"),
}


def draw(runs: dict[str, Run]) -> Figure:
    """Draw a panel for each run: the logits of four kinds of tokens over the steps."""
    figure, row = panels(4.4, 3.3, 2)
    titles = ("without: common is what several classes have", "with: common is what a query's classes share")
    for axes, run, title in zip(row, runs.values(), titles, strict=True):
        for label, (token, color, line) in KINDS.items():
            axes.plot(run.steps, run.series["token_logits"][:, 0, 0, token], color=color, label=label, ls=line)
        axes.axhline(0, color=INK, lw=0.8)
        axes.set(title=title, xlabel="step")
    row[0].set_ylabel("attention logit $z_l$")
    low = min(axes.get_ylim()[0] for axes in row)
    high = max(axes.get_ylim()[1] for axes in row)
    for axes in row:
        axes.set_ylim(low, high)
    row[0].legend(loc="lower left", fontsize=8)
    return figure

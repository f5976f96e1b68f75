"""Extension: the residual connection (Section 7)."""

from matplotlib.figure import Figure

from attention_dynamics.plots.style import BLUE, GREEN, INK, ORANGE, PURPLE, legend, panels
from attention_dynamics.run import Run

# Kind of token -> (index of a token of this kind that occurs in the first class, color, line style).
KINDS = {
    "in all classes": (0, ORANGE, "-"),
    "in both classes of its query": (1, PURPLE, "--"),
    "in one class of each query": (3, GREEN, "--"),
    "in one class": (5, BLUE, "-"),
}


def draw(runs: dict[str, Run]) -> Figure:
    """Draw a panel for each run: the logit of one token of each kind in KINDS over the steps, for the first query."""
    figure, row = panels(2, height=1.9, sharey=True)
    titles = ("without the connection", "with the connection")
    for axes, run, title in zip(row, runs.values(), titles, strict=True):
        for label, (token, color, line) in KINDS.items():
            axes.plot(run.steps, run.series["token_logits"][:, 0, 0, token], color=color, label=label, ls=line)
        axes.axhline(0, color=INK, lw=0.5)
        axes.set(title=title, xlabel="step $t$")
    row[0].set_ylabel("attention logit $z_l$")
    legend(figure, row[0])
    return figure
